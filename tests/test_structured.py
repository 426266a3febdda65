"""Answers as values of a type."""

from __future__ import annotations

import copy
import pickle
import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from enum import Enum, IntEnum
from typing import Annotated, Any, Generic, Literal, NamedTuple, NotRequired, TypedDict, TypeVar, Union
from uuid import UUID

import msgspec
import pytest
from msgspec import Meta, Struct

from streamkit.accumulator import Accumulator
from streamkit.client import Client
from streamkit.deltas import (
    BlockAdded,
    Delta,
    MessageStart,
    Replace,
    Retract,
    TextDelta,
    TextEnd,
    TextStart,
    ThinkingDelta,
    ThinkingStart,
)
from streamkit.errors import ConfigError, OutputError, UnsupportedParameterWarning
from streamkit.messages import FinishReason, Message, MessageOutput
from streamkit.parts import FunctionCall, FunctionPart, RefusalPart, TextPart
from streamkit.protocols import Request
from streamkit.protocols.schemas import is_strict, narrowed
from streamkit.providers import get_provider, provider_names
from streamkit.providers.abilities import structured_by
from streamkit.structured import OutputReader, OutputType, TypedOutput, correction, fit_schema
from streamkit.testing import Answer, Refusal, ReplayServer


class City(Struct):
    """A place where many live."""

    name: str
    people: Annotated[int, Meta(description="by the last census")]


class Cat(Struct, tag=True):
    lives: int


class Dog(Struct, tag=True):
    tricks: list[str]


@dataclass
class Flat:
    rooms: int
    built: date


class Trip(TypedDict):
    to: str
    by: NotRequired[str]


class Tree(Struct):
    name: str
    kids: list[Tree]


class Place(NamedTuple):
    x: int
    name: str


class Colour(Enum):
    RED = "r"
    BLUE = "b"


class Level(IntEnum):
    LOW = 1
    HIGH = 2


T = TypeVar("T")


class Pair(Struct, Generic[T]):
    a: T
    b: T


class Row(Struct, array_like=True):
    x: int
    name: str


class Price(Struct):
    amount: Decimal
    raw: msgspec.Raw


class Odd(Struct):
    """Its fields are called like the words of a schema."""

    discriminator: str
    properties: City
    default: City
    enum: list[str]
    type: Literal["a", 1, None]


Digit = Annotated[int, Meta(ge=0, le=9)]

OSLO = '{"name": "Oslo", "people": 709037}'


def said(text: str, finish: str = "stop", **fields: Any) -> MessageOutput:
    return MessageOutput(Message("assistant", [TextPart(text)], **fields), FinishReason(finish))


READ = [
    pytest.param(City, OSLO, City("Oslo", 709037), id="a struct"),
    pytest.param(
        City, '{"name": "Oslo", "people": 7.0, "more": 1}', City("Oslo", 7), id="a whole number is an integer"
    ),
    pytest.param(City, f" \n```json\n{OSLO}\n``` ", City("Oslo", 709037), id="inside a fence"),
    pytest.param(City, '{"name": "Os\nlo", "people": 1}', City("Os\nlo", 1), id="a raw line break in a string"),
    pytest.param(Flat, '{"rooms": 3, "built": "1999-12-31"}', Flat(3, date(1999, 12, 31)), id="a dataclass"),
    pytest.param(Trip, '{"to": "Rome"}', {"to": "Rome"}, id="a typed dict"),
    pytest.param(list[City], f'{{"value": [{OSLO}]}}', [City("Oslo", 709037)], id="a list"),
    pytest.param(Union[Cat, Dog], '{"value": {"type": "Dog", "tricks": ["sit"]}}', Dog(["sit"]), id="a union"),
    pytest.param(int, '{"value": 123456789012345678901234}', 123456789012345678901234, id="a scalar"),
    pytest.param(str | None, '{"value": null}', None, id="nothing"),
    pytest.param(Literal["yes", "no"], '{"value": "yes"}', "yes", id="a word"),
    pytest.param(dict[int, float], '{"value": {"1": 2}}', {1: 2.0}, id="a mapping"),
    pytest.param(tuple[int, str], '{"value": [1, "a"]}', (1, "a"), id="a tuple"),
    pytest.param(Any, '{"value": [1, {"a": null}]}', [1, {"a": None}], id="anything"),
    pytest.param(Place, '{"value": [1, "a"]}', Place(1, "a"), id="a named tuple"),
    pytest.param(Row, '{"value": [1, "a"]}', Row(1, "a"), id="a struct as a list"),
    pytest.param(Colour, '{"value": "r"}', Colour.RED, id="an enum"),
    pytest.param(Level, '{"value": 2.0}', Level.HIGH, id="an enum of numbers"),
    pytest.param(Pair[int], '{"a": 1, "b": 2}', Pair(1, 2), id="a generic struct"),
    pytest.param(set[int], '{"value": [1, 1, 2]}', {1, 2}, id="a set"),
    pytest.param(frozenset[str], '{"value": ["a"]}', frozenset("a"), id="a frozen set"),
    pytest.param(bytes, '{"value": "aGk="}', b"hi", id="bytes"),
    pytest.param(datetime, '{"value": "2026-11-30T10:00:00Z"}', datetime(2026, 11, 30, 10, tzinfo=UTC), id="a time"),
    pytest.param(timedelta, '{"value": "PT5M"}', timedelta(minutes=5), id="a duration"),
    pytest.param(UUID, f'{{"value": "{UUID(int=7)}"}}', UUID(int=7), id="a UUID"),
    pytest.param(
        Decimal,
        '{"value": 1234567890123456789.10}',
        Decimal("1234567890123456789.10"),
        id="a decimal to its last digit",
    ),
    pytest.param(Digit, '{"value": 9}', 9, id="a limited number"),
    pytest.param(str, '{"value": "\\ud83d\\ude00 \\ud800 \ud800"}', "\U0001f600 \ufffd \ufffd", id="lone surrogates"),
    pytest.param(dict[str, int], '{"value": {"a": 1, "a": 2}}', {"a": 2}, id="a key that comes twice"),
    pytest.param(
        Tree,
        '{"value": {"name": "a", "kids": [{"name": "b", "kids": []}]}}',
        Tree("a", [Tree("b", [])]),
        id="recursive",
    ),
]


@pytest.mark.parametrize(("kind", "text", "value"), READ)
def test_an_answer_is_read_as_its_type(kind: Any, text: str, value: Any) -> None:
    output = OutputType(kind)
    found = output.read(said(text))
    assert (found, type(found)) == (value, type(value))
    assert output.schema["type"] == "object"


WRONG = [
    pytest.param(said("Oslo is a city."), "it is not one JSON object alone", True, id="prose"),
    pytest.param(said(""), "it is not one JSON object alone", True, id="nothing"),
    pytest.param(said(f"[{OSLO}]"), "it is not one JSON object alone", True, id="another value"),
    pytest.param(said(f"{OSLO} {OSLO}"), "expected the end, found '{'", True, id="two objects"),
    pytest.param(said('{"name": }'), "expected a value", True, id="broken JSON"),
    pytest.param(said('{"name": ' + "[" * 9999 + "}"), "nested more than", True, id="too deep"),
    pytest.param(said('{"name": ' + "[" * 900 + "]" * 900 + "}"), "nested more", True, id="nearly too deep"),
    pytest.param(said('{"name": "Oslo"}'), "missing required field `people`", True, id="a field is missing"),
    pytest.param(
        said('{"name": "Oslo", "people": "many"}'), r"Expected `int`, got `str` - at `\$.people`", True, id="type"
    ),
    pytest.param(said(OSLO[:20], "length"), "cut off at its greatest length", False, id="cut off"),
    pytest.param(said("I won't.", "refusal"), "the model refused: I won't.", False, id="refused"),
    pytest.param(
        MessageOutput(Message("assistant", [RefusalPart("No.")]), FinishReason("stop")),
        "the model refused: No.",
        False,
        id="refused in a part of its own",
    ),
    pytest.param(
        said("", "tool_call", tool_calls=[FunctionPart("1", FunctionCall("add", {}))]),
        "it calls add",
        False,
        id="a call",
    ),
]


@pytest.mark.parametrize(("output", "reason", "helps"), WRONG)
def test_what_is_not_of_the_type_is_told_with_the_reason(output: MessageOutput, reason: str, helps: bool) -> None:
    with pytest.raises(OutputError, match=reason) as caught:
        OutputType(City).read(output)
    error = caught.value
    assert (error.text, error.partial) == (output.message.text, output)
    assert "the answer is no City" in str(error)
    told = correction(error)
    assert (told is not None) is helps
    if told is not None:
        assert told.role == "user" and error.reason in told.text


def test_what_is_read_keeps_the_text_of_what_is_raw() -> None:
    for amount in ("19.990", "7.0"):
        found = OutputType(Price).read(said(f'{{"amount": {amount}, "raw": {{"a":  1}}}}'))
        assert (found.amount, bytes(found.raw)) == (Decimal(amount), b'{"a":  1}')


def test_a_list_says_where_it_is_wrong() -> None:
    with pytest.raises(OutputError, match=r"at `\$.value\[0\]`"):
        OutputType(list[int]).read(said('{"value": ["a"]}'))


class Plain:
    pass


@pytest.mark.parametrize("kind", [Plain, list[Plain], "City"], ids=str)
def test_a_type_without_a_json_form_is_refused_at_once(kind: Any) -> None:
    with pytest.raises(ConfigError, match="is no output_type"):
        OutputType(kind)


STRICT = [City, list[City], Union[Cat, Dog], Tree, int, Literal["a", "b"], Literal["a", 1, None], Colour, Level]
STRICT += [Pair[City], Odd, None, bool, datetime, date, timedelta, UUID, tuple[int, ...], City | None, Digit]
NARROW = [bytes, Decimal, set[int], frozenset[str], Annotated[str, Meta(max_length=3)], Trip]


def test_a_schema_is_one_that_can_be_enforced() -> None:
    schema = OutputType(City).schema
    assert schema == {
        "title": "City",
        "description": "A place where many live.",
        "type": "object",
        "properties": {
            "name": {"type": "string"},
            "people": {"type": "integer", "description": "by the last census"},
        },
        "required": ["name", "people"],
        "additionalProperties": False,
    }
    for kind in STRICT:
        assert is_strict(OutputType(kind).schema), kind
    for kind in (*STRICT, *NARROW):
        assert (narrowed(OutputType(kind).schema) is None) is (kind is Tree), kind
    for kind in (*NARROW, Place, Row, Any, msgspec.Raw, list, dict, Price):
        assert not is_strict(OutputType(kind).schema), kind
    assert OutputType(Literal["a", "b"]).schema["properties"]["value"] == {"type": "string", "enum": ["a", "b"]}
    assert not is_strict(OutputType(Trip).schema), "what may be left out is not asked for all the same"
    assert not is_strict(OutputType(dict[str, int]).schema)


def test_fields_are_never_taken_for_words_of_the_schema() -> None:
    schema = OutputType(Odd).schema
    assert list(schema["properties"]) == schema["required"] == list(Odd.__struct_fields__)
    assert schema["properties"]["default"] == schema["properties"]["properties"] == OutputType(City).schema
    assert schema["properties"]["type"] == {"type": ["integer", "null", "string"], "enum": [None, 1, "a"]}


def test_a_copy_of_a_typed_output_has_its_value() -> None:
    typed = TypedOutput.of(said(OSLO), City("Oslo", 1))
    for made in (copy.copy(typed), copy.deepcopy(typed), pickle.loads(pickle.dumps(typed))):
        assert (made, made.value) == (typed, typed.value)
    with pytest.raises(ConfigError, match="value was not taken along"):
        _ = msgspec.structs.replace(typed).value


def test_a_typed_output_has_the_json_form_of_any_other() -> None:
    output = said(OSLO)
    typed = TypedOutput.of(output, City("Oslo", 1))
    assert typed.value == City("Oslo", 1)
    assert msgspec.json.encode(typed) == msgspec.json.encode(output)
    assert msgspec.json.decode(msgspec.json.encode(typed), type=MessageOutput) == output


# While it comes.


def run_reader(kind: Any, deltas: list[Delta]) -> list[Any]:
    """What the reader says after each delta, copied."""
    accumulator = Accumulator()
    reader = OutputReader(OutputType(kind), accumulator)
    seen = []
    for delta in deltas:
        accumulator.feed(delta)
        reader.feed(delta)
        seen.append(msgspec.json.decode(msgspec.json.encode(reader.value)))
    return seen


def texts(*pieces: str) -> list[Delta]:
    return [MessageStart(), TextStart(0), *(TextDelta(0, piece) for piece in pieces)]


PARTIAL = [
    pytest.param(City, texts('{"na', 'me": "Os', 'lo", "people": 7', "09}"), [{}, {"name": "Os"}, {"name": "Oslo"}]),
    pytest.param(list[int], texts('{"value"', ": [1, 2", ", 3]}"), [None, [1], [1, 2, 3]]),
    pytest.param(City, texts("``", "`js", 'on\n{"name": "O"', "}\n```"), [None, None, {"name": "O"}, {"name": "O"}]),
    pytest.param(City, texts(" \n", "  ", '{"name": "O"'), [None, None, {"name": "O"}]),
    pytest.param(City, texts("Well, that ", 'is {"name": "O"}'), [None, None]),
    pytest.param(City, texts('[{"name": "O"}]'), [None]),
    pytest.param(City, texts('{"name": "O"}', " and so on"), [{"name": "O"}, {"name": "O"}]),
]


@pytest.mark.parametrize(("kind", "deltas", "values"), PARTIAL)
def test_a_partial_value_is_what_the_text_says_so_far(kind: Any, deltas: list[Delta], values: list[Any]) -> None:
    seen = run_reader(kind, deltas)
    assert seen[2 : 2 + len(values)] == values


ODD = [
    pytest.param(
        [*texts('{"name": "O"'), Retract("again"), *texts('{"name": "B"')],
        {"name": "B"},
        id="what is taken back is gone",
    ),
    pytest.param([*texts('{"name": "O'), Replace(0, '{"name": "Bo')], {"name": "Bo"}, id="a text that is revised"),
    pytest.param(
        [
            MessageStart(),
            ThinkingStart(0),
            ThinkingDelta(0, '{"name": "no"}'),
            TextStart(1),
            TextDelta(1, '{"name": "O"'),
        ],
        {"name": "O"},
        id="thinking is none of it",
    ),
    pytest.param(
        [MessageStart(), BlockAdded(0, TextPart('{"name": "O"}'))], {"name": "O"}, id="a text that comes whole"
    ),
    pytest.param(
        [*texts('{"name": '), TextEnd(0), TextStart(1), TextDelta(1, '"O"')], {"name": "O"}, id="two blocks of text"
    ),
    pytest.param(
        [*texts('{"name": "O"'), MessageStart(choice=1), TextStart(0, choice=1), TextDelta(0, ', "x": 1', choice=1)],
        {"name": "O"},
        id="another choice is none of it",
    ),
]


@pytest.mark.parametrize(("deltas", "value"), ODD)
def test_a_partial_value_is_that_of_the_message(deltas: list[Delta], value: Any) -> None:
    assert run_reader(City, deltas)[-1] == value


CUT = [
    ('Here it is: {"name": "O"}', None),
    ('```\njson{"name": "O"}', None),
    ('12345678 {"name": "O"}', None),
    ('"a string" {"name": "O"}', None),
    ('OK: {"name": "O"}', None),
    (' \n``` JSON{"name": "O"}', None),
    (' \n ```JSON \n {"name": "O"} \n```', {"name": "O"}),
    ('``` {"name": "O"} and more', {"name": "O"}),
    ('{"name": "O"}{"name": "B"}', {"name": "O"}),
]


@pytest.mark.parametrize(("text", "value"), CUT)
def test_a_partial_value_depends_on_no_cut_and_no_look(text: str, value: Any) -> None:
    chance = random.Random(text)
    for _ in range(60):
        cuts = sorted(chance.sample(range(1, len(text)), chance.randint(0, 8)))
        pieces = [text[a:b] for a, b in zip([0, *cuts], [*cuts, len(text)], strict=True)]
        accumulator = Accumulator()
        reader = OutputReader(OutputType(City), accumulator)
        for delta in texts(*pieces):
            accumulator.feed(delta)
            reader.feed(delta)
            if chance.random() < 0.5:
                _ = reader.value
        assert reader.value == value, pieces
    assert run_reader(City, texts(*text))[-1] == value


def test_looking_at_every_delta_costs_no_more_the_longer_the_answer_is() -> None:
    def cost(count: int, look: Callable[[OutputReader], Any]) -> float:
        accumulator = Accumulator()
        reader = OutputReader(OutputType(list[int]), accumulator)
        deltas = [*texts('{"value": ['), *(TextDelta(0, f"{number % 10},") for number in range(count))]
        began = time.process_time()
        for delta in deltas:
            accumulator.feed(delta)
            reader.feed(delta)
            look(reader)
        return (time.process_time() - began) / count

    def look(reader: OutputReader) -> Any:
        return reader.value

    short, long = (min(cost(count, look) for _ in range(3)) for count in (1_000, 20_000))
    assert long < 2 * short


# Asked of providers.

PROVIDERS = [
    ("openai", "/v1", ("response_format", "json_schema", "schema")),
    ("anthropic", "", ("output_config", "format", "schema")),
    ("gemini", "", ("generationConfig", "responseJsonSchema")),
    ("deepseek", "", None),
]


@pytest.mark.parametrize(("provider", "base", "where"), PROVIDERS, ids=[case[0] for case in PROVIDERS])
async def test_a_provider_is_asked_for_the_type_and_its_answer_read(provider: str, base: str, where: Any) -> None:
    schema = OutputType(City).schema
    async with ReplayServer([Answer([OSLO])] * 2) as server:
        async with Client(f"{provider}/m", api_key="k", base_url=server.url + base) as client:
            async with client.stream("Which city?", output_type=City) as stream:
                seen = [msgspec.json.encode(stream.partial_value) async for _ in stream]
            assert stream.value == City("Oslo", 709037)
            output = await client.send("Which city?", output_type=City)
    assert output.value == City("Oslo", 709037)
    assert output.message == stream.output.message
    assert [msgspec.json.decode(one) for one in dict.fromkeys(seen)][-1] == {"name": "Oslo", "people": 709037}
    assert len(set(seen)) > 2
    body = server.requests[0].json
    if where is None:
        assert body["response_format"] == {"type": "json_object"}
        told, query = body["messages"]
        assert told["role"] == "system" and query["role"] == "user"
        assert told["content"].endswith(msgspec.json.encode(schema).decode()) and "JSON" in told["content"]
        return
    for name in where:
        body = body[name]
    assert body == schema


FITTED = [
    ("openai", "schema", [Message("user", "Hi")]),
    ("deepseek", "json", [Message("user", "Hi")]),
    ("vllm-generate", "no", [Message("user", "Hi")]),
    ("deepseek", "json", [Message("system", "Be brief."), Message("user", "Hi")]),
]


@pytest.mark.parametrize(("provider", "structured", "messages"), FITTED)
def test_who_follows_no_schema_is_told_it(provider: str, structured: str, messages: list[Message]) -> None:
    schema = OutputType(City).schema
    request = Request(model="m", messages=messages, output_schema=schema, instruct_output=True)
    row = get_provider(provider)
    assert structured_by(row) == structured
    fitted = fit_schema(request, structured_by(row))
    assert request.messages == messages, "the caller's messages stay as they are"
    if structured == "schema":
        assert fitted is request
        return
    assert fitted.output_schema == ({} if structured == "json" else None)
    system = fitted.messages[0]
    assert system.role == "system" and system.contents[:-1] == (messages[0].contents if len(messages) > 1 else [])
    assert fitted.messages[1:] == [message for message in messages if message.role != "system"]


async def test_who_gives_a_schema_alone_is_warned_instead() -> None:
    async with Client("deepseek/m", api_key="k") as client:
        with pytest.warns(UnsupportedParameterWarning, match="put the schema in the instruction"):
            client.stream("Hi", output_schema=OutputType(City).schema)


async def test_an_answer_of_another_type_is_an_error_with_all_of_it() -> None:
    async with ReplayServer([Answer(["Oslo."]), Answer([Refusal("No.")]), Answer(["Oslo."])]) as server:
        async with Client("openai/m", api_key="k", base_url=server.url + "/v1") as client:
            for text, reason in [("Oslo.", "not one JSON object"), ("", "refused: No.")]:
                with pytest.raises(OutputError, match=reason) as caught:
                    await client.send("Which city?", output_type=City)
                assert caught.value.text == text
                assert caught.value.partial is not None and caught.value.partial.usage is not None
            async with client.stream("Which city?") as stream:
                _ = [delta async for delta in stream]
            for name in ("value", "partial_value"):
                with pytest.raises(ConfigError, match="without an output_type"):
                    getattr(stream, name)
            with pytest.raises(ConfigError, match="leave out output_schema"):
                client.stream("Which city?", output_type=City, output_schema={})


@pytest.mark.parametrize("provider", [name for name in provider_names() if "vertex" not in name])
async def test_every_provider_is_asked_for_every_type_without_a_warning(provider: str) -> None:
    async with Client(f"{provider}/m", api_key="k", base_url="http://127.0.0.1:9") as client:
        for kind in (City, *NARROW[:3], Tree, dict[str, int], Place):
            asked = client.stream("Which?", output_type=kind)._asking._asked  # warnings are errors
            body = msgspec.json.decode(asked.body)
            assert body != msgspec.json.decode(client.stream("Which?")._asking._asked.body)
            assert "alue" in str(body) or "people" in str(body)


@pytest.mark.parametrize("provider", ["fastchat", "vllm-generate", "openai-completions"])
async def test_who_takes_a_prompt_alone_is_told_behind_it(provider: str) -> None:
    async with Client(f"{provider}/m", api_key="k", base_url="http://127.0.0.1:9") as client:
        body = msgspec.json.decode(client.stream("Which?", output_type=City)._asking._asked.body)
    assert body["prompt"].startswith("Which?\n\nAnswer with one JSON object")
    assert body["prompt"].endswith(msgspec.json.encode(OutputType(City).schema).decode() + "\n")


@pytest.mark.parametrize("provider", ["anthropic", "bedrock"])
async def test_a_type_that_a_provider_cannot_follow_is_told(provider: str) -> None:
    client = Client(f"{provider}/m", api_key="k", base_url="http://127.0.0.1:9")
    for kind, native in [(City, True), (dict[str, int], False), (Tree, False), (City, True), (Any, False)]:
        schema = OutputType(kind).schema
        messages = [Message("user", "Hi")]
        request = Request(model="m", messages=messages, output_schema=schema, instruct_output=True)
        body = client.ask(request, include_raw=False).encoded.body
        told = msgspec.json.encode(schema).decode() in str(body.get("system")).replace("\\n", "\n")
        assert ("output_config" in body or "outputConfig" in body, told) == (native, not native), kind
    await client.aclose()


async def test_a_stream_has_no_value_before_its_end_and_none_of_what_was_left() -> None:
    async with ReplayServer([Answer([OSLO])] * 2) as server:
        async with Client("openai/m", api_key="k", base_url=server.url + "/v1") as client:
            stream = client.stream("Which city?", output_type=City)
            assert stream.partial_value is None
            with pytest.raises(ConfigError, match="read the stream to its end"):
                _ = stream.value
            async with stream:
                async for delta in stream:
                    if isinstance(delta, TextDelta) and stream.output.message.text == OSLO:
                        break
            assert stream.partial_value == {"name": "Oslo", "people": 709037}
            with pytest.raises(ConfigError, match="read the stream to its end"):
                _ = stream.value


async def test_a_fallback_is_asked_for_the_type_in_its_own_way() -> None:
    async with ReplayServer(Answer([OSLO])) as server:
        second = Client("deepseek/m", api_key="k", base_url=server.url)
        first = Client("openai/m", api_key="k", base_url="http://127.0.0.1:9", fallback=[second], retry=0)
        async with first, second:
            assert (await first.send("Which city?", output_type=City)).value == City("Oslo", 709037)
    assert server.requests[0].json["response_format"] == {"type": "json_object"}
    assert server.requests[0].json["messages"][0]["role"] == "system"
