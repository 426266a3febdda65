"""The stream of Responses, in the forms of all who speak the dialect, each whole and byte by byte."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest

from streamkit.accumulator import Accumulator
from streamkit.deltas import (
    AudioDelta,
    BlockAdded,
    CitationAdded,
    Delta,
    Logprobs,
    MessageEnd,
    MessageStart,
    RefusalDelta,
    RefusalEnd,
    RefusalStart,
    Replace,
    TextDelta,
    TextEnd,
    TextStart,
    ThinkingDelta,
    ThinkingEnd,
    ThinkingStart,
    ToolCallDelta,
    ToolCallEnd,
    ToolCallStart,
    UnknownFrame,
    UsageSnapshot,
)
from streamkit.errors import (
    APIError,
    ConfigError,
    ContextOverflow,
    ProtocolError,
    QuotaExceeded,
    RateLimited,
    StreamkitError,
    TruncatedStream,
)
from streamkit.limits import Limits
from streamkit.messages import FinishReason
from streamkit.parts import EmbeddedImage, ImagePart, RawPart, ServerToolPart, TextPart
from streamkit.protocols import EncodedRequest, Quirks, get_protocol
from streamkit.testing.chunking import bytewise
from streamkit.testing.outcome import Outcome, numbered_ids, read_pieces
from streamkit.usage import Usage

STOP = MessageEnd(FinishReason("stop", "completed"))
CALLS = MessageEnd(FinishReason("tool_call", "completed"))


def start(id: str | None = "r", model: str | None = "m") -> MessageStart:
    return MessageStart("assistant", id, model, protocol="openai-responses")


def body(*events: Any, named: bool = True) -> bytes:
    """The events as records; a string is a record's data as it is."""
    out = b""
    for event in events:
        if isinstance(event, str):
            out += f"data: {event}\n\n".encode()
        else:
            out += f"event: {event['type']}\n".encode() * named + b"data: " + json.dumps(event).encode() + b"\n\n"
    return out


def read_bytes(data: bytes, **options: Any) -> Outcome:
    """Read a body whole; any cut must give the same."""

    def read(pieces: Any) -> Outcome:
        return read_pieces(pieces, get_protocol("openai-responses").parser(mint=numbered_ids(), **options))

    outcome = read([data])
    assert read(bytewise(data)) == outcome
    return outcome


def read(*events: Any, **options: Any) -> Outcome:
    return read_bytes(body(*events), **options)


def fail(*events: Any, **options: Any) -> StreamkitError:
    """Read a body that ends in an error; return that."""
    parser = get_protocol("openai-responses").parser(**options)
    with pytest.raises(StreamkitError) as caught:
        parser.feed(body(*events))
        parser.finish()
    return caught.value


def event(kind: str, **fields: Any) -> dict[str, Any]:
    return {"type": f"response.{kind}", **fields}


def response(status: str = "completed", output: Any = (), **fields: Any) -> dict[str, Any]:
    return {"id": "r", "object": "response", "model": "m", "status": status, "output": list(output), **fields}


CREATED = event("created", response=response("in_progress"))


def ended(status: str = "completed", output: Any = (), **fields: Any) -> dict[str, Any]:
    return event(status, response=response(status, output, **fields))


def added(at: int | None, kind: str, id: str = "", **fields: Any) -> dict[str, Any]:
    return event("output_item.added", **place(at), item={"type": kind, "id": id, **fields})


def done(at: int | None, kind: str, id: str = "", **fields: Any) -> dict[str, Any]:
    return event("output_item.done", **place(at), item={"type": kind, "id": id, **fields})


def place(at: int | None) -> dict[str, Any]:
    return {} if at is None else {"output_index": at}


def said(text: str, at: int = 0, content: int = 0, **fields: Any) -> dict[str, Any]:
    return event("output_text.delta", output_index=at, content_index=content, item_id="msg", delta=text, **fields)


def whole(text: str, at: int = 0, content: int = 0) -> dict[str, Any]:
    return event("output_text.done", output_index=at, content_index=content, item_id="msg", text=text)


def spoken(*texts: str, **fields: Any) -> dict[str, Any]:
    content = [{"type": "output_text", "text": text, "annotations": []} for text in texts]
    return {"role": "assistant", "content": content, **fields}


def given(arguments: str, at: int = 0, **fields: Any) -> dict[str, Any]:
    return event("function_call_arguments.delta", output_index=at, item_id=f"fc_{at}", delta=arguments, **fields)


def call(at: int | None = 0, arguments: Any = "", name: str = "f") -> dict[str, Any]:
    return {"call_id": f"call_{at}", "name": name, "arguments": arguments}


def summed(text: str, part: int = 0, at: int = 0) -> dict[str, Any]:
    return event("reasoning_summary_text.delta", output_index=at, summary_index=part, item_id="rs", delta=text)


def summary(*texts: str) -> list[dict[str, Any]]:
    return [{"type": "summary_text", "text": text} for text in texts]


HI = [TextStart(0), TextDelta(0, "Hi"), TextEnd(0)]
MSG = {"id": "msg"}


def hi(**extra: Any) -> list[Delta]:
    return [TextStart(0), TextDelta(0, "Hi"), TextEnd(0, extra=extra or None)]


STREAMS: list[tuple[str, list[Any], list[Delta]]] = [
    (
        "a message with all its events",
        [
            CREATED,
            event("in_progress", response=response("in_progress")),
            added(0, "message", "msg", status="in_progress", role="assistant", content=[]),
            event("content_part.added", output_index=0, content_index=0, part={"type": "output_text", "text": ""}),
            said("H", logprobs=[], obfuscation="a8Jx"),
            said("i", logprobs=[], obfuscation="Q"),
            whole("Hi"),
            event("content_part.done", output_index=0, content_index=0, part={"type": "output_text", "text": "Hi"}),
            done(0, "message", "msg", status="completed", **spoken("Hi")),
            ended(output=[{"type": "message", "id": "msg", "status": "completed", **spoken("Hi")}]),
        ],
        [start(), *hi(id="msg", status="completed"), STOP],
    ),
    (
        "a phase, which goes back",
        [CREATED, said("Hi"), done(0, "message", "msg", phase="commentary", **spoken("Hi")), ended()],
        [start(), *hi(id="msg", phase="commentary"), STOP],
    ),
    (
        "only pieces, of an item that was never announced",
        [CREATED, said("Hi"), ended()],
        [start(), *hi(), STOP],
    ),
    (
        "no event but the last",
        [ended(output=[{"type": "message", **MSG, **spoken("Hi")}])],
        [start(), *hi(**MSG), STOP],
    ),
    ("nothing said", [CREATED, ended()], [start(), STOP]),
    (
        "a text that only its done event has",
        [CREATED, added(0, "message", "msg"), whole("Hi"), ended()],
        [start(), *hi(**MSG), STOP],
    ),
    (
        "a text that only its part has",
        [CREATED, event("content_part.done", output_index=0, part={"type": "output_text", "text": "Hi"}), ended()],
        [start(), *hi(), STOP],
    ),
    (
        "a text that begins in its part",
        [
            CREATED,
            event("content_part.added", output_index=0, content_index=0, part={"type": "output_text", "text": "H"}),
            said("i"),
            ended(),
        ],
        [start(), *hi(), STOP],
    ),
    (
        "a done text that is longer",
        [CREATED, said("H"), whole("Hi"), done(0, "message", **spoken("Hi")), ended()],
        [start(), *hi(), STOP],
    ),
    (
        "a done text that is another",
        [CREATED, said("Ho"), whole("Hi"), done(0, "message", **spoken("Hi")), ended()],
        [start(), TextStart(0), TextDelta(0, "Ho"), Replace(0, "Hi"), TextEnd(0), STOP],
    ),
    (
        "a done text that is left out",
        [CREATED, said("Hi"), whole(""), done(0, "message", role="assistant", content=[]), ended()],
        [start(), *hi(), STOP],
    ),
    (
        "two parts of one message",
        [CREATED, said("Hi"), said("Ho", content=1), done(0, "message", "msg", **spoken("Hi", "Ho")), ended()],
        [
            start(),
            TextStart(0),
            TextDelta(0, "Hi"),
            TextStart(1),
            TextDelta(1, "Ho"),
            TextEnd(0, extra=MSG),
            TextEnd(1, extra=MSG),
            STOP,
        ],
    ),
    (
        "parts that are counted from one",
        [CREATED, said("Hi", content=1), done(0, "message", **spoken("Hi!")), ended()],
        [start(), TextStart(0), TextDelta(0, "Hi!"), TextEnd(0), STOP],
    ),
    (
        "a part of an unknown type",
        [CREATED, done(0, "message", role="assistant", content=[{"type": "hologram", "x": 1}]), ended()],
        [start(), BlockAdded(0, RawPart({"type": "hologram", "x": 1}), extra={"id": ""}), STOP],
    ),
    (
        "a refusal",
        [
            CREATED,
            event("refusal.delta", output_index=0, content_index=0, delta="N"),
            event("refusal.delta", output_index=0, content_index=0, delta="o"),
            event("refusal.done", output_index=0, content_index=0, refusal="No"),
            done(0, "message", role="assistant", content=[{"type": "refusal", "refusal": "No"}]),
            ended(),
        ],
        [
            start(),
            RefusalStart(0),
            RefusalDelta(0, "No"),
            RefusalEnd(0),
            MessageEnd(FinishReason("refusal", "completed")),
        ],
    ),
    (
        "a refusal after text",
        [CREATED, said("Hi"), event("refusal.delta", output_index=0, content_index=1, delta="No"), ended()],
        [
            start(),
            TextStart(0),
            TextDelta(0, "Hi"),
            RefusalStart(1),
            RefusalDelta(1, "No"),
            TextEnd(0),
            RefusalEnd(1),
            MessageEnd(FinishReason("refusal", "completed")),
        ],
    ),
    (
        "log probabilities",
        [CREATED, said("Hi", logprobs=[{"token": "Hi", "logprob": -1.0}]), whole("Hi"), ended()],
        [start(), TextStart(0), TextDelta(0, "Hi"), Logprobs([{"token": "Hi", "logprob": -1.0}]), TextEnd(0), STOP],
    ),
    (
        "sources, each once",
        [
            CREATED,
            said("Hi"),
            event("output_text.annotation.added", output_index=0, content_index=0, annotation={"url": "a"}),
            done(
                0,
                "message",
                role="assistant",
                content=[{"type": "output_text", "text": "Hi", "annotations": [{"url": "a"}, {"url": "b"}]}],
            ),
            ended(),
        ],
        [
            start(),
            TextStart(0),
            TextDelta(0, "Hi"),
            CitationAdded(0, {"url": "a"}),
            CitationAdded(0, {"url": "b"}),
            TextEnd(0),
            STOP,
        ],
    ),
    (
        "sound and its transcript, which are of no item",
        [CREATED, event("audio.delta", delta="AQI="), event("audio.transcript.delta", delta="Hi"), ended()],
        [start(), AudioDelta(0, b"\x01\x02"), AudioDelta(0, transcript="Hi"), STOP],
    ),
]


@pytest.mark.parametrize(("events", "deltas"), [case[1:] for case in STREAMS], ids=[case[0] for case in STREAMS])
def test_a_message_becomes_blocks(events: list[Any], deltas: list[Delta]) -> None:
    assert without_ids(read(*events).deltas) == without_ids(deltas)


def without_ids(deltas: list[Delta]) -> list[Delta]:
    """The deltas with an id that is "" as one that is not there."""
    return [
        msgspec.structs.replace(delta, extra={k: v for k, v in delta.extra.items() if v} or None)
        if getattr(delta, "extra", None)
        else delta
        for delta in deltas
    ]


THOUGHTS: list[tuple[str, list[Any], list[Delta]]] = [
    (
        "encrypted alone: the blob of its end counts, not that of its beginning",
        [
            CREATED,
            added(0, "reasoning", "rs", encrypted_content="part", summary=[]),
            done(0, "reasoning", "rs", encrypted_content="whole", summary=[], content=[]),
            ended(),
        ],
        [ThinkingStart(0), ThinkingEnd(0, signature="whole", extra={"id": "rs", "summary": [], "content": []})],
    ),
    (
        "a summary in two parts, which are two paragraphs",
        [
            CREATED,
            added(0, "reasoning", "rs", summary=[]),
            event("reasoning_summary_part.added", output_index=0, summary_index=0, part=summary("")[0]),
            summed("On"),
            summed("e"),
            event("reasoning_summary_text.done", output_index=0, summary_index=0, text="One"),
            event("reasoning_summary_part.done", output_index=0, summary_index=0, part=summary("One")[0]),
            event("reasoning_summary_part.added", output_index=0, summary_index=1, part=summary("")[0]),
            summed("Two", 1),
            event("reasoning_summary_text.done", output_index=0, summary_index=1, text="Two"),
            done(0, "reasoning", "rs", encrypted_content="blob", summary=summary("One", "Two")),
            ended(),
        ],
        [
            ThinkingStart(0),
            ThinkingDelta(0, "One\n\nTwo"),
            ThinkingEnd(
                0,
                signature="blob",
                extra={
                    "id": "rs",
                    "summary": [{"type": "summary_text", "text": 3}, {"type": "summary_text", "text": 3}],
                },
            ),
        ],
    ),
    (
        "two parts told apart by their numbers alone",
        [CREATED, summed("One"), summed("Two", 1), ended()],
        [ThinkingStart(0), ThinkingDelta(0, "One\n\nTwo"), ThinkingEnd(0)],
    ),
    (
        "a summary that only the end has",
        [CREATED, added(0, "reasoning", "rs"), done(0, "reasoning", "rs", summary=summary("One", "", "Two")), ended()],
        [
            ThinkingStart(0),
            ThinkingDelta(0, "One\n\nTwo"),
            ThinkingEnd(
                0,
                extra={
                    "id": "rs",
                    "summary": [
                        {"type": "summary_text", "text": 3},
                        {"type": "summary_text", "text": 0},
                        {"type": "summary_text", "text": 3},
                    ],
                },
            ),
        ],
    ),
    (
        "the thinking itself, of open models",
        [
            CREATED,
            added(0, "reasoning", "rs", summary=[]),
            event("content_part.added", output_index=0, content_index=0, part={"type": "reasoning_text", "text": ""}),
            event("reasoning_text.delta", output_index=0, content_index=0, delta="H"),
            event("reasoning_text.delta", output_index=0, content_index=0, delta="m"),
            event("reasoning_text.done", output_index=0, content_index=0, text="Hm"),
            event(
                "reasoning_part.done", output_index=0, content_index=0, part={"type": "reasoning_text", "text": "Hm"}
            ),
            done(0, "reasoning", "rs", summary=[], content=[{"type": "reasoning_text", "text": "Hm"}]),
            ended(),
        ],
        [
            ThinkingStart(0),
            ThinkingDelta(0, "Hm"),
            ThinkingEnd(0, extra={"id": "rs", "summary": [], "content": [{"type": "reasoning_text", "text": 2}]}),
        ],
    ),
    (
        "an end that says another thing than what was shown keeps both",
        [CREATED, summed("One"), done(0, "reasoning", "rs", summary=summary("Eins")), ended()],
        [ThinkingStart(0), ThinkingDelta(0, "One"), ThinkingEnd(0, extra={"id": "rs", "summary": summary("Eins")})],
    ),
]


@pytest.mark.parametrize(("events", "deltas"), [case[1:] for case in THOUGHTS], ids=[case[0] for case in THOUGHTS])
def test_thinking_becomes_one_block_an_item(events: list[Any], deltas: list[Delta]) -> None:
    assert read(*events).deltas == [start(), *deltas, STOP]


def test_thinking_that_ends_after_the_message_stands_before_it() -> None:
    outcome = read(
        CREATED,
        added(0, "reasoning", "rs", summary=[]),
        event("reasoning_text.delta", output_index=0, content_index=0, delta="Hm"),
        added(1, "message", "msg"),
        said("Hi", 1),
        done(1, "message", "msg", **spoken("Hi")),
        event("reasoning_text.done", output_index=0, content_index=0, text="Hm"),
        done(0, "reasoning", "rs", summary=[], content=[{"type": "reasoning_text", "text": "Hm"}]),
        ended(),
    )
    message = outcome.outputs[0].message
    assert (message.thinking, message.text) == ("Hm", "Hi")
    assert [type(block.part).__name__ for block in message.iter_blocks()] == ["ThinkingPart", "TextPart"]


CALL_STREAMS: list[tuple[str, list[Any], list[tuple[str, str, Any]]]] = [
    (
        "with all its events",
        [
            added(0, "function_call", "fc_0", **call()),
            given('{"a"'),
            given(":1}"),
            event("function_call_arguments.done", output_index=0, item_id="fc_0", arguments='{"a":1}'),
            done(0, "function_call", "fc_0", **call(arguments='{"a":1}')),
        ],
        [("call_0", "f", {"a": 1})],
    ),
    (
        "arguments only in the done event",
        [
            added(0, "function_call", "fc_0", **call()),
            event("function_call_arguments.done", output_index=0, arguments='{"a":1}'),
        ],
        [("call_0", "f", {"a": 1})],
    ),
    (
        "arguments only in the item at its end",
        [added(0, "function_call", "fc_0", **call()), done(0, "function_call", "fc_0", **call(arguments='{"a":1}'))],
        [("call_0", "f", {"a": 1})],
    ),
    ("only the item at its end", [done(0, "function_call", "fc_0", **call(arguments="{}"))], [("call_0", "f", {})]),
    (
        "arguments only in the item as it was announced",
        [added(0, "function_call", "fc_0", **call(arguments='{"a":1}'))],
        [("call_0", "f", {"a": 1})],
    ),
    (
        "arguments that are an object",
        [added(0, "function_call", **call()), done(0, "function_call", **call(arguments={"a": "é"}))],
        [("call_0", "f", {"a": "é"})],
    ),
    (
        "announced with a placeholder, and no end",
        [added(0, "function_call", "fc_0", **call(arguments="{}")), given('{"a":'), given("1}")],
        [("call_0", "f", {"a": 1})],
    ),
    ("no arguments", [added(0, "function_call", **call()), done(0, "function_call", **call())], [("call_0", "f", {})]),
    (
        "two that take turns",
        [
            added(0, "function_call", "fc_0", **call(0)),
            added(1, "function_call", "fc_1", **call(1)),
            given('{"a":'),
            given('{"b":', 1),
            given("1}"),
            given("2}", 1),
            done(1, "function_call", "fc_1", **call(1, '{"b":2}')),
            done(0, "function_call", "fc_0", **call(0, '{"a":1}')),
        ],
        [("call_0", "f", {"a": 1}), ("call_1", "f", {"b": 2})],
    ),
    (
        "pieces before the item is announced",
        [given('{"a":'), added(0, "function_call", "fc_0", **call()), given("1}")],
        [("call_0", "f", {"a": 1})],
    ),
    (
        "a name that comes at the end",
        [
            added(0, "function_call", "fc_0", **call(name="")),
            given('{"a":1}'),
            done(0, "function_call", "fc_0", **call(arguments='{"a":1}')),
        ],
        [("call_0", "f", {"a": 1})],
    ),
    (
        "no call id but an id",
        [done(0, "function_call", "fc_0", name="f", arguments="{}")],
        [("fc_0", "f", {})],
    ),
    ("no id at all", [done(0, "function_call", name="f", arguments="{}")], [("minted_0", "f", {})]),
    (
        "no indices but ids, as at llama.cpp",
        [
            added(None, "function_call", "fc_a", **call(0)),
            event("function_call_arguments.delta", item_id="fc_a", delta='{"a":'),
            added(None, "function_call", "fc_b", **call(1)),
            event("function_call_arguments.delta", item_id="fc_b", delta='{"b":2}'),
            event("function_call_arguments.delta", item_id="fc_a", delta="1}"),
            done(None, "function_call", "fc_a", **call(0, '{"a":1}')),
            done(None, "function_call", "fc_b", **call(1, '{"b":2}')),
        ],
        [("call_0", "f", {"a": 1}), ("call_1", "f", {"b": 2})],
    ),
    (
        "neither indices nor ids",
        [
            added(None, "function_call", **call(0)),
            event("function_call_arguments.delta", delta='{"a":1}'),
            done(None, "function_call", **call(0, '{"a":1}')),
            added(None, "function_call", **call(1)),
            event("function_call_arguments.delta", delta='{"b":2}'),
            done(None, "function_call", **call(1, '{"b":2}')),
        ],
        [("call_0", "f", {"a": 1}), ("call_1", "f", {"b": 2})],
    ),
    (
        "an item id that changes from event to event, as at GitHub Copilot",
        [
            added(0, "function_call", "x1", **call()),
            {**given('{"a":1}'), "item_id": "x2"},
            {**event("function_call_arguments.done", arguments='{"a":1}', output_index=0), "item_id": "x3"},
            done(0, "function_call", "x4", **call(arguments='{"a":1}')),
        ],
        [("call_0", "f", {"a": 1})],
    ),
    (
        "announced twice",
        [added(0, "function_call", "fc_0", **call()), added(0, "function_call", "fc_0", **call()), given("{}")],
        [("call_0", "f", {})],
    ),
    (
        "two under one index, as at LiteLLM",
        [
            added(0, "function_call", "fc_a", **call(0)),
            given('{"a":1}'),
            added(0, "function_call", "fc_b", **call(1)),
            given('{"b":2}'),
        ],
        [("call_0", "f", {"a": 1}), ("call_1", "f", {"b": 2})],
    ),
    (
        "written anew at the end, with other spaces",
        [added(0, "function_call", **call()), given('{"a":1}'), done(0, "function_call", **call(arguments='{"a": 1}'))],
        [("call_0", "f", {"a": 1})],
    ),
    (
        "another thing at the end, which counts",
        [added(0, "function_call", **call()), given('{"a":1}'), done(0, "function_call", **call(arguments='{"a":2}'))],
        [("call_0", "f", {"a": 2})],
    ),
]


@pytest.mark.parametrize(
    ("events", "calls"), [case[1:] for case in CALL_STREAMS], ids=[case[0] for case in CALL_STREAMS]
)
def test_a_call_is_read(events: list[Any], calls: list[tuple[str, str, Any]]) -> None:
    outcome = read(CREATED, *events, ended())
    output = outcome.outputs[0]
    found = output.message.tool_calls or []
    assert [(each.id, each.function.name, each.function.arguments) for each in found] == calls
    assert [each.error for each in found] == [None] * len(calls)
    assert output.finish_reason == FinishReason("tool_call", "completed")
    spelt_anew = sum(isinstance(delta, Replace) for delta in outcome.deltas)
    assert spelt_anew == (calls == [("call_0", "f", {"a": 2})])


def test_the_end_of_a_call_has_what_goes_back_with_it() -> None:
    item = {**call(arguments="{}"), "status": "completed", "namespace": "n"}
    outcome = read(
        CREATED, added(0, "function_call", "fc_0", **call()), done(0, "function_call", "fc_0", **item), ended()
    )
    assert ToolCallEnd(0, extra={"id": "fc_0", "status": "completed", "namespace": "n"}) in outcome.deltas


def test_the_input_of_a_custom_tool_is_free_text() -> None:
    tool = {"call_id": "c", "name": "sh"}
    outcome = read(
        CREATED,
        added(0, "custom_tool_call", "ctc", **tool, input=""),
        event("custom_tool_call_input.delta", output_index=0, delta="ls "),
        event("custom_tool_call_input.delta", output_index=0, delta="-l"),
        event("custom_tool_call_input.done", output_index=0, input="ls -l"),
        done(0, "custom_tool_call", "ctc", **tool, input="ls -l"),
        ended(),
    )
    assert outcome.deltas == [
        start(),
        ToolCallStart(0, "c", "sh", custom=True),
        ToolCallDelta(0, "ls -l"),
        ToolCallEnd(0, extra={"id": "ctc"}),
        CALLS,
    ]


def test_the_arguments_of_a_call_have_a_limit() -> None:
    events = [CREATED, added(0, "function_call", "fc_0", **call()), given("12345"), given("é67"), given("9")]
    limit = Limits(max_argument_bytes=9)
    assert "max_argument_bytes" in str(fail(*events, limits=limit))
    assert fail(*events[:-1], limits=limit).__class__ is TruncatedStream
    late = [CREATED, done(0, "function_call", "fc_0", **call(arguments="1234567890"))]
    assert "max_argument_bytes" in str(fail(*late, limits=limit))


SEARCH = {"type": "web_search_call", "id": "ws"}
SERVER_TOOLS: list[tuple[str, list[Any], list[Any]]] = [
    (
        "a search is a call at once and a result at its end; its progress says nothing",
        [
            added(0, "web_search_call", "ws"),
            event("web_search_call.in_progress", output_index=0, item_id="ws"),
            event("web_search_call.searching", output_index=0, item_id="ws"),
            event("web_search_call.completed", output_index=0, item_id="ws"),
            done(0, "web_search_call", "ws", action={"query": "q"}),
        ],
        [
            ServerToolPart("call", "ws", "web_search", SEARCH),
            ServerToolPart("result", "ws", "web_search", {**SEARCH, "action": {"query": "q"}}),
        ],
    ),
    (
        "a search without its end",
        [added(0, "web_search_call", "ws")],
        [ServerToolPart("call", "ws", "web_search", SEARCH)],
    ),
    (
        "an MCP call, by the name of its tool",
        [
            added(0, "mcp_call", "mcp", name="ask", output=None),
            event("mcp_call_arguments.delta", output_index=0, delta="{"),
            done(0, "mcp_call", "mcp", name="ask", output="x"),
        ],
        [
            ServerToolPart("call", "mcp", "ask", {"type": "mcp_call", "id": "mcp", "name": "ask", "output": None}),
            ServerToolPart("result", "mcp", "ask", {"type": "mcp_call", "id": "mcp", "name": "ask", "output": "x"}),
        ],
    ),
    (
        "a result keeps the id of its call",
        [added(0, "web_search_call", "a"), done(0, "web_search_call", "b")],
        [
            ServerToolPart("call", "a", "web_search", {"type": "web_search_call", "id": "a"}),
            ServerToolPart("result", "a", "web_search", {"type": "web_search_call", "id": "b"}),
        ],
    ),
    (
        "code, whose text comes with the item",
        [
            event("code_interpreter_call_code.delta", output_index=0, delta="1"),
            event("code_interpreter_call_code.done", output_index=0, code="1"),
            done(0, "code_interpreter_call", "ci", code="1", outputs=[]),
        ],
        [
            ServerToolPart(
                "result",
                "ci",
                "code_interpreter",
                {"type": "code_interpreter_call", "id": "ci", "code": "1", "outputs": []},
            )
        ],
    ),
    (
        "a shell, which has an output of its own",
        [
            added(0, "shell_call", "sh", call_id="c"),
            event("shell_call_output_content.delta", output_index=1, delta={"stdout": "x"}),
            done(0, "shell_call", "sh", call_id="c"),
            done(1, "shell_call_output", "sho", call_id="c"),
        ],
        [
            ServerToolPart("call", "c", "shell", {"type": "shell_call", "id": "sh", "call_id": "c"}),
            ServerToolPart("result", "c", "shell", {"type": "shell_call_output", "id": "sho", "call_id": "c"}),
        ],
    ),
    (
        "a compaction",
        [
            added(0, "compaction", "cmp"),
            event("compaction.compacting", output_index=0),
            done(0, "compaction", "cmp", encrypted_content="x"),
        ],
        [RawPart({"type": "compaction", "id": "cmp", "encrypted_content": "x"})],
    ),
    (
        "an item of an unknown type",
        [added(0, "hologram", "h"), done(0, "hologram", "h", x=1)],
        [RawPart({"type": "hologram", "id": "h", "x": 1})],
    ),
    (
        "an item of an unknown type that only the last event has whole",
        [added(0, "hologram", "h"), ended(output=[{"type": "hologram", "id": "h", "x": 1}])],
        [RawPart({"type": "hologram", "id": "h", "x": 1})],
    ),
]


@pytest.mark.parametrize(
    ("events", "parts"), [case[1:] for case in SERVER_TOOLS], ids=[case[0] for case in SERVER_TOOLS]
)
def test_items_of_servers_become_parts(events: list[Any], parts: list[Any]) -> None:
    outcome = read(CREATED, *events, ended())
    assert outcome.deltas == [start(), *(BlockAdded(at, part) for at, part in enumerate(parts)), STOP]


def test_a_generated_image_is_that_of_its_item_and_not_its_previews() -> None:
    outcome = read(
        CREATED,
        added(0, "image_generation_call", "ig", status="in_progress"),
        event("image_generation_call.partial_image", output_index=0, partial_image_index=0, partial_image_b64="AAAA"),
        event("image_generation_call.partial_image", output_index=0, partial_image_index=1, partial_image_b64="AQEB"),
        done(0, "image_generation_call", "ig", status="completed", output_format="webp", result="AQI="),
        ended(),
    )
    kept = {"type": "image_generation_call", "id": "ig", "status": "completed", "output_format": "webp"}
    image = ImagePart(EmbeddedImage("image/webp", b"\x01\x02"))
    assert [delta for delta in outcome.deltas if isinstance(delta, BlockAdded)][1:] == [
        BlockAdded(1, image, extra=kept)
    ]


ENDS: list[tuple[str, list[Any], FinishReason]] = [
    ("completed", [said("Hi"), ended()], FinishReason("stop", "completed")),
    ("a status that the event says alone", [said("Hi"), event("completed", response={})], STOP.finish_reason),
    ("a last event without its response", [said("Hi"), event("completed")], STOP.finish_reason),
    (
        "a snapshot of a response that still runs",
        [said("Hi"), event("completed", response=response("in_progress"))],
        STOP.finish_reason,
    ),
    (
        "no more tokens",
        [said("Hi"), ended("incomplete", incomplete_details={"reason": "max_output_tokens"})],
        FinishReason("length", "incomplete", "max_output_tokens"),
    ),
    (
        "no more tokens in the middle of a call",
        [
            added(0, "function_call", **call()),
            given('{"a":'),
            ended("incomplete", incomplete_details={"reason": "max_output_tokens"}),
        ],
        FinishReason("length", "incomplete", "max_output_tokens"),
    ),
    (
        "a filter",
        [said("Hi"), ended("incomplete", incomplete_details={"reason": "content_filter"})],
        FinishReason("refusal", "incomplete", "content_filter"),
    ),
    (
        "steered elsewhere",
        [said("Hi"), ended("incomplete", incomplete_details={"reason": "steered"})],
        FinishReason("other", "incomplete", "steered"),
    ),
    ("incomplete without a reason", [said("Hi"), ended("incomplete")], FinishReason("other", "incomplete")),
    ("cancelled", [said("Hi"), ended("cancelled")], FinishReason("aborted", "cancelled")),
    (
        "a status that nobody knows",
        [said("Hi"), event("completed", response=response("odd"))],
        FinishReason("other", "odd"),
    ),
    ("the sentinel of gateways alone", [said("Hi"), "[DONE]"], FinishReason("stop", synthesized=True)),
]


@pytest.mark.parametrize(("events", "reason"), [case[1:] for case in ENDS], ids=[case[0] for case in ENDS])
def test_why_an_answer_ended(events: list[Any], reason: FinishReason) -> None:
    outcome = read(CREATED, *events)
    assert outcome.error is None
    assert outcome.outputs[0].finish_reason == reason
    calls = outcome.outputs[0].message.tool_calls
    assert calls is None or calls[0].error


def test_a_sentinel_after_the_end_and_events_without_names_change_nothing() -> None:
    events = [CREATED, said("Hi"), ended()]
    plain = read(*events)
    assert read(*events, "[DONE]").deltas == plain.deltas
    assert read_bytes(body(*events, named=False)).deltas == plain.deltas
    unnamed = [{name: value for name, value in each.items() if name != "type"} for each in events]
    frames = b"".join(
        b"event: %s\ndata: %s\n\n" % (named["type"].encode(), json.dumps(bare).encode())
        for named, bare in zip(events, unnamed, strict=True)
    )
    assert read_bytes(frames).deltas == plain.deltas


USAGES: list[tuple[str, Any, Usage | None]] = [
    (
        "everything",
        {
            "input_tokens": 100,
            "input_tokens_details": {"cached_tokens": 60, "cache_write_tokens": 10},
            "output_tokens": 9,
            "output_tokens_details": {"reasoning_tokens": 4},
            "total_tokens": 109,
        },
        Usage(30, 9, 60, 10, 4),
    ),
    ("no details", {"input_tokens": 3, "output_tokens": 2, "total_tokens": 5}, Usage(3, 2)),
    ("details that are null", {"input_tokens": 3, "output_tokens": 2, "input_tokens_details": None}, Usage(3, 2)),
    ("null", None, None),
    ("zeros", {"input_tokens": 0, "output_tokens": 0}, None),
]


@pytest.mark.parametrize(("raw", "usage"), [case[1:] for case in USAGES], ids=[case[0] for case in USAGES])
def test_usage_comes_with_the_end(raw: Any, usage: Usage | None) -> None:
    outcome = read(CREATED, said("Hi"), ended(usage=raw))
    assert [delta.usage for delta in outcome.deltas if isinstance(delta, UsageSnapshot)] == ([usage] if usage else [])
    assert isinstance(outcome.deltas[-1], MessageEnd)


QUOTA = {"code": "insufficient_quota", "message": "no money", "type": "insufficient_quota"}
ERRORS: list[tuple[str, list[Any], type[APIError], str]] = [
    (
        "flat",
        [{"type": "error", "code": "rate_limit_exceeded", "message": "slow down", "param": None}],
        RateLimited,
        "slow",
    ),
    ("nested", [{"type": "error", "sequence_number": 2, "error": QUOTA}], QuotaExceeded, "no money"),
    ("as chat completions have it", [{"type": "x", "error": QUOTA}], QuotaExceeded, "no money"),
    ("failed", [ended("failed", error={"code": "rate_limit_exceeded", "message": "slow down"})], RateLimited, "slow"),
    ("failed and no error", [ended("failed", error=None)], APIError, "did not say why"),
    (
        "a context that is too long, found in the stream",
        [ended("failed", error={"code": "context_length_exceeded", "message": "too long"})],
        ContextOverflow,
        "too long",
    ),
]


@pytest.mark.parametrize(("events", "kind", "says"), [case[1:] for case in ERRORS], ids=[case[0] for case in ERRORS])
def test_an_error_ends_the_stream(events: list[Any], kind: type[APIError], says: str) -> None:
    outcome = read(CREATED, said("Hi"), *events, ended())
    assert outcome.deltas == [start(), TextStart(0), TextDelta(0, "Hi")]
    error = fail(CREATED, said("Hi"), *events)
    assert isinstance(error, kind)
    assert error.status == 200
    assert says in str(error)


def test_the_usage_of_a_failed_response_is_told() -> None:
    failed = ended("failed", error=QUOTA, usage={"input_tokens": 3, "output_tokens": 2})
    assert read(CREATED, failed).deltas == [start(), UsageSnapshot(Usage(3, 2))]


NO_STREAMS: list[tuple[str, Any, type[StreamkitError]]] = [
    ("an error", {"error": {"message": "no", "type": "invalid_request_error"}}, APIError),
    ("an error in a list", [{"error": {"message": "no"}}], APIError),
    ("an error in a form of its own", {"detail": "no"}, APIError),
    ("a response that failed", response("failed", error={"code": "server_error", "message": "no"}), APIError),
    ("a response that still runs", response("queued"), TruncatedStream),
]


@pytest.mark.parametrize(("value", "kind"), [case[1:] for case in NO_STREAMS], ids=[case[0] for case in NO_STREAMS])
def test_a_body_that_is_no_answer_is_an_error(value: Any, kind: type[StreamkitError]) -> None:
    parser = get_protocol("openai-responses").parser()
    with pytest.raises(kind):
        parser.feed(json.dumps(value).encode())
        parser.finish()


def test_an_answer_that_was_not_streamed_is_read() -> None:
    output = [
        {"type": "reasoning", "id": "rs", "summary": summary("Hm"), "encrypted_content": "e"},
        {"type": "web_search_call", "id": "ws"},
        {"type": "message", "id": "msg", **spoken("Hi")},
        {"type": "function_call", "id": "fc", **call(arguments='{"a":1}')},
        None,
    ]
    outcome = read_bytes(json.dumps(response(output=output, usage={"input_tokens": 1, "output_tokens": 2})).encode())
    message = outcome.outputs[0].message
    assert (message.thinking, message.signature, message.text) == ("Hm", "e", "Hi")
    assert message.contents == [
        ServerToolPart("result", "ws", "web_search", {"type": "web_search_call", "id": "ws"}),
        TextPart("Hi"),
    ]
    assert message.tool_calls is not None
    assert message.tool_calls[0].function.arguments == {"a": 1}
    assert outcome.deltas[-2:] == [UsageSnapshot(Usage(1, 2)), CALLS]


LAST: list[tuple[str, list[Any], list[Any], str]] = [
    ("the same again", [said("Hi"), done(0, "message", "a", **spoken("Hi"))], [("a", "Hi")], "Hi"),
    ("the same under other ids", [said("Hi"), done(0, "message", "a", **spoken("Hi"))], [("b", "Hi")], "Hi"),
    ("the same but no ends came", [said("Hi")], [("a", "Hi")], "Hi"),
    ("the rest of what was cut off", [said("H")], [("a", "Hi")], "Hi"),
    (
        "a message that never came",
        [said("Hi"), done(0, "message", "a", **spoken("Hi"))],
        [("a", "Hi"), ("b", "!")],
        "Hi!",
    ),
    ("a message before the one that came", [done(0, "message", "a", **spoken("Hi"))], [("b", "!"), ("a", "Hi")], "Hi!"),
    ("an end that is otherwise", [said("Hi"), done(0, "message", "a", **spoken("Hi"))], [("a", "Ho")], "Hi"),
    ("nothing", [said("Hi"), done(0, "message", "a", **spoken("Hi"))], [], "Hi"),
]


@pytest.mark.parametrize(("events", "last", "text"), [case[1:] for case in LAST], ids=[case[0] for case in LAST])
def test_the_last_event_says_only_what_never_came(events: list[Any], last: list[Any], text: str) -> None:
    output = [{"type": "message", "id": id, **spoken(said)} for id, said in last]
    outcome = read(CREATED, *events, ended(output=output))
    assert outcome.outputs[0].message.text == text
    assert not any(isinstance(delta, Replace) for delta in outcome.deltas)


def test_an_answer_cut_off_is_truncated_and_shows_what_came() -> None:
    outcome = read(CREATED, said("Hi"), added(1, "function_call", **call()), given('{"a":1}', 1))
    assert outcome.error is not None
    assert outcome.error["kind"] == "TruncatedStream"
    message = outcome.outputs[0].message
    assert message.text == "Hi"
    assert message.tool_calls is not None
    assert message.tool_calls[0].error == "the call was cut short"
    assert isinstance(fail(), TruncatedStream)


def test_a_server_that_never_says_the_end_may_be_believed() -> None:
    outcome = read(CREATED, said("Hi"), quirks=Quirks(end_without_finish=True))
    assert outcome.error is None
    assert outcome.outputs[0].finish_reason == FinishReason("stop", synthesized=True)


def test_what_is_unknown_is_passed_on() -> None:
    odd = event("hologram.delta", delta="x")
    outcome = read(CREATED, odd, {"type": 5}, "7", said("Hi"), ended())
    frames = [delta for delta in outcome.deltas if isinstance(delta, UnknownFrame)]
    assert [frame.raw for frame in frames] == [json.dumps(odd), '{"type": 5}', "7"]
    assert outcome.outputs[0].message.text == "Hi"


BROKEN: list[tuple[str, Any]] = [
    ("a delta that is a number", said(5)),
    ("an index that is a text", {**said("x"), "output_index": "0"}),
    ("an index that is true", {**said("x"), "content_index": True}),
    ("an item that is missing", event("output_item.added", output_index=0)),
    ("an item that is a list", event("output_item.done", output_index=0, item=[])),
    ("an item whose type is a number", event("output_item.done", output_index=0, item={"type": 5})),
    ("content that is a text", done(0, "message", content="Hi")),
    ("sources that are a text", done(0, "message", content=[{"type": "output_text", "text": "a", "annotations": "x"}])),
    ("a summary of texts", done(0, "reasoning", summary=["x"])),
    ("a name that is a number", done(0, "function_call", **{**call(), "name": 5})),
    ("a source that is missing", event("output_text.annotation.added", output_index=0)),
    ("a part that is missing", event("content_part.done", output_index=0)),
    ("a response that is a list", event("completed", response=[])),
    ("an output that is an object", event("completed", response={"output": {}})),
    ("sound that is no base64", event("audio.delta", delta="!")),
    ("no JSON", "hello"),
    ("half JSON", '{"type":"response.output_text.delta","delta":"x'),
    ("deep nesting", '{"type":"response.completed","x":' + "[" * 100_000 + "]" * 100_000 + "}"),
    (
        "a deep item",
        '{"type":"response.output_item.done","item":{"type":"message","x":' + "[" * 9000 + "]" * 9000 + "}}",
    ),
]


@pytest.mark.parametrize("frame", [case[1] for case in BROKEN], ids=[case[0] for case in BROKEN])
def test_a_known_event_that_is_broken_is_an_error_with_its_frame(frame: Any) -> None:
    error = fail(CREATED, said("Hi"), frame)
    assert type(error) is ProtocolError
    data = frame if isinstance(frame, str) else json.dumps(frame)
    assert error.frame
    assert data.encode().startswith(error.frame)


def test_a_piece_without_a_type_never_overtakes_half_a_character() -> None:
    half = json.dumps(said("a\ud83d")).encode()
    typeless = b'{"output_index":0,"content_index":0,"delta":"\\ude00"}'
    frames = b"".join(b"event: response.output_text.delta\ndata: %s\n\n" % data for data in (half, typeless))
    assert read_bytes(frames + body(ended())).outputs[0].message.text == "a😀"


def test_the_error_of_a_servers_tool_is_not_that_of_the_answer() -> None:
    failed = event("mcp_list_tools.failed", output_index=0, error={"message": "no such server"})
    unheard_of = event("hologram.failed", error="no")
    outcome = read(CREATED, failed, unheard_of, said("Hi"), ended())
    assert outcome.error is None
    assert [delta.raw for delta in outcome.deltas if isinstance(delta, UnknownFrame)] == [json.dumps(unheard_of)]


def test_an_event_without_a_number_does_not_lose_count() -> None:
    parser = get_protocol("openai-responses").parser()
    parser.feed(body(*RESUMABLE[:4]))
    parser.feed(body(said("!")))
    assert parser.last_sequence == 3


def test_records_without_blank_lines_between_are_read() -> None:
    frames = b"".join(b"data: " + json.dumps(each).encode() + b"\n" for each in (CREATED, said("Hi"), ended()))
    assert read_bytes(frames + b"data: [DONE]\n\n").deltas[-1] == STOP


def numbered(*events: dict[str, Any]) -> list[dict[str, Any]]:
    return [{**each, "sequence_number": at} for at, each in enumerate(events)]


RESUMABLE = numbered(
    CREATED,
    added(0, "message", "msg"),
    said("H"),
    said("i"),
    said(" you"),
    done(0, "message", **spoken("Hi you")),
    ended(),
)


@pytest.mark.parametrize("known", range(1, len(RESUMABLE)))
@pytest.mark.parametrize("repeated", [0, 1, 7], ids=lambda count: f"{count} again")
def test_a_response_is_gone_on_with_over_another_connection(known: int, repeated: int) -> None:
    parser = get_protocol("openai-responses").parser()
    deltas = parser.feed(body(*RESUMABLE[:known]) + body(RESUMABLE[known])[:30])
    assert (parser.response_id, parser.last_sequence) == ("r", known - 1)
    with pytest.raises(TruncatedStream):
        deltas += parser.finish()
    assert parser.resume() == EncodedRequest(f"/responses/r?stream=true&starting_after={known - 1}", {}, method="GET")
    deltas += parser.feed(body(*RESUMABLE[max(0, known - repeated) :])) + parser.finish()
    accumulator = Accumulator()
    for delta in deltas:
        accumulator.feed(delta)
    assert accumulator.finish().message.text == "Hi you"
    assert deltas[-1] == STOP
    assert deltas.count(start()) == 1


def test_events_without_numbers_are_read_after_a_resumption() -> None:
    parser = get_protocol("openai-responses").parser()
    deltas = parser.feed(body(*RESUMABLE[:3]))
    parser.resume()
    deltas += parser.feed(body(said("i"), ended()))
    assert [delta.text for delta in deltas if isinstance(delta, TextDelta)] == ["H", "i"]


ENDED = [
    ("it has ended", RESUMABLE),
    ("the provider reported an error", [CREATED, {"type": "error", "message": "no"}]),
]


@pytest.mark.parametrize("events", [case[1] for case in ENDED], ids=[case[0] for case in ENDED])
def test_only_a_response_that_broke_off_is_gone_on_with(events: list[dict[str, Any]]) -> None:
    parser = get_protocol("openai-responses").parser()
    parser.feed(body(*events))
    with pytest.raises(ConfigError, match="has ended"):
        parser.resume()
    assert parser.ended


def test_a_response_without_an_id_is_not_gone_on_with() -> None:
    with pytest.raises(ConfigError, match="only by its id"):
        get_protocol("openai-responses").parser().resume()


def test_the_same_numbers_over_one_connection_are_no_repetition() -> None:
    zero = [{**each, "sequence_number": 0} for each in RESUMABLE]
    assert read(*zero).outputs[0].message.text == "Hi you"


def test_heartbeats_are_counted_over_all_connections() -> None:
    parser = get_protocol("openai-responses").parser()
    parser.feed(b": ping\n\n" + body(*RESUMABLE[:2]))
    parser.resume()
    parser.feed(b": ping\n\n")
    assert parser.heartbeats == 2
