"""The mode of an unknown gateway, found out: edge cases 5 and 6 of backends that send all so far."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streamkit.deltas import Delta
from streamkit.errors import ConfigError
from streamkit.protocols import Parser, Quirks, get_protocol
from streamkit.protocols.auto import AutoParser
from streamkit.providers import Provider
from streamkit.testing.answers import Answer
from streamkit.testing.chunking import bytewise, linewise
from streamkit.testing.outcome import Outcome, numbered_ids, read_pieces
from streamkit.testing.scripts import render, render_error
from streamkit.testing.strategies import answers

END = b"data: [DONE]\n\n"
LONG = "It was a dark and stormy night; "


def chunk(delta: dict[str, Any], index: int = 0, finish: str | None = None) -> bytes:
    record = {"id": "r", "choices": [{"index": index, "delta": delta, "finish_reason": finish}]}
    return b"data: " + json.dumps(record).encode() + b"\n\n"


def body(*texts: str, field: str = "content") -> bytes:
    return b"".join(chunk({field: text}) for text in texts) + chunk({}, finish="stop") + END


def new(**options: Any) -> Parser:
    return get_protocol("openai-chat").parser(mode="auto", mint=numbered_ids(), **options)


def read(data: bytes, **options: Any) -> Outcome:
    """Read a body in several cuts, which must be the same."""
    outcome = read_pieces([data], new(**options))
    assert read_pieces(bytewise(data), new(**options)) == read_pieces(linewise(data), new(**options)) == outcome
    return outcome


def grown(*pieces: str) -> list[str]:
    return ["".join(pieces[: at + 1]) for at in range(len(pieces))]


CASES: list[tuple[str, list[str], str]] = [
    ("increments", ["Hello", " there", "."], "Hello there."),
    ("snapshots", grown(LONG, "the", " rain", " fell"), LONG + "the rain fell"),
    ("snapshots sent twice", [text for text in grown(LONG, "a", "b", "c") for _ in "xx"], LONG + "abc"),
    (
        "snapshots that are cut in a character",
        [LONG, LONG + "\ufffd", LONG + "é", LONG + "é!", LONG + "é!?"],
        LONG + "é!?",
    ),
    ("snapshots that are revised once it is known", [*grown(LONG, "a", "b", "c"), LONG + "x"], LONG + "x"),
    ("an increment that begins with the one before", ["a", "and", " so"], "aand so"),
    ("the same increment again", ["ha", "ha", "!"], "haha!"),
    ("line ends", ["\n", "\n", "\n"], "\n\n\n"),
    ("three that begin so but are short", ["1", "10", "100", "1000"], "1101001000"),
    ("two long ones that begin so", [LONG, LONG + LONG, "x"], LONG + LONG + LONG + "x"),
    ("an end before anything is proven", ["Hello"], "Hello"),
    ("nothing", [], ""),
]


@pytest.mark.parametrize("field", ["content", "reasoning_content"])
@pytest.mark.parametrize(("texts", "text"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_the_mode_is_found_out(texts: list[str], text: str, field: str) -> None:
    outcome = read(body(*texts, field=field))
    message = outcome.outputs[0].message
    assert (message.text if field == "content" else message.thinking or "") == text
    assert outcome.error is None


@pytest.mark.parametrize(("mode", "make"), [("incremental", lambda *texts: texts), ("cumulative", grown)])
def test_what_is_read_is_what_a_parser_of_that_mode_reads(mode: str, make: Callable[..., list[str]]) -> None:
    data = body(*make(LONG, "the", " rain", " fell", "."))
    assert read(data) == read_pieces([data], get_protocol("openai-chat").parser(mode=mode))


def test_nothing_is_given_out_until_it_is_known_and_all_at_once_then() -> None:
    parser = new()
    first, second, third, fourth = (chunk({"content": text}) for text in grown(LONG, "a", "b", "c"))
    assert parser.feed(first) == parser.feed(second) == parser.feed(third) == []
    assert "".join(getattr(delta, "text", "") for delta in parser.feed(fourth)) == LONG + "abc"
    parser = new()
    assert parser.feed(chunk({"content": "Hello"})) == []
    assert len(parser.feed(chunk({"content": " there"}))) == 4


def test_arguments_prove_it_too() -> None:
    def call(arguments: str) -> bytes:
        return chunk({"tool_calls": [{"index": 0, "id": "c", "function": {"name": "f", "arguments": arguments}}]})

    pieces = '{"city": "', "Oslo and all its ", "suburbs", '", "a": 1}'
    end = chunk({}, finish="tool_calls") + END
    for texts in (pieces, grown(*pieces)):
        (found,) = read(b"".join(map(call, texts)) + end).outputs[0].message.tool_calls or []
        assert found.function.arguments == {"city": "Oslo and all its suburbs", "a": 1}


def test_thinking_that_comes_again_beside_a_growing_text_hides_no_proof() -> None:
    thought = chunk({"reasoning_content": "Hm."})
    texts = [chunk({"reasoning_content": "Hm.", "content": text}) for text in grown(LONG, "a", "b", "c")]
    message = read(b"".join([thought, *texts]) + chunk({}, finish="stop") + END).outputs[0].message
    assert (message.thinking, message.text) == ("Hm.", LONG + "abc")


def test_one_choice_proves_it_for_all() -> None:
    texts = grown(LONG, "a", "b", "c", "d")
    chunks = [chunk({"content": text}, index) for text in texts for index in (0, 1)]
    ends = chunk({}, 0, "stop") + chunk({}, 1, "stop") + END
    outputs = read(b"".join(chunks) + ends).outputs
    assert [output.message.text for output in outputs] == [LONG + "abcd"] * 2


def test_a_switch_of_the_mode_in_the_middle_spoils_text_and_nothing_else() -> None:
    one = read(body(*grown(LONG, "a", "b", "c"), "and", " so"))
    other = read(body("Hello", " there", *grown(LONG, "a", "b")))
    assert one.error is other.error is None
    assert one.outputs[0].message.text == " so"
    assert other.outputs[0].message.text.startswith("Hello there")


def test_an_error_brings_what_was_held_back() -> None:
    outcome = read(chunk({"content": "Hi"}) + render_error("openai-chat"))
    assert outcome.error is not None
    assert outcome.error["message"] == "Overloaded"
    assert outcome.outputs[0].message.text == "Hi"


def test_a_stream_cut_off_brings_what_was_held_back() -> None:
    outcome = read(chunk({"content": "Hi"}))
    assert outcome.error is not None
    assert outcome.error["kind"] == "TruncatedStream"
    assert outcome.outputs[0].message.text == "Hi"


@given(answers("openai-chat"), st.integers(1, 5))
def test_an_answer_in_increments_is_read_as_without(answer: Answer, piece: int) -> None:
    data = render(answer, "openai-chat", piece=piece)
    plain = read_pieces([data], get_protocol("openai-chat").parser(mint=numbered_ids()))
    told = read(data)
    if told.outputs != plain.outputs:  # a text that repeats itself from its beginning is proof enough
        assert any(len(text) >= 32 for text in pieces(plain.deltas))
    else:
        assert told == plain


def pieces(deltas: list[Delta]) -> list[str]:
    return [text for delta in deltas if (text := getattr(delta, "text", "") or getattr(delta, "arguments", ""))]


@pytest.mark.parametrize("protocol", ["openai-chat", "dashscope", "sglang"])
def test_every_dialect_of_two_modes_has_it(protocol: str) -> None:
    data = render(Answer(["Hello there, it is a fine day today and tomorrow too"]), protocol, piece=9)
    outcome = read_pieces([data], get_protocol(protocol).parser(mode="auto"))
    assert outcome == read_pieces([data], get_protocol(protocol).parser())


def test_a_dialect_of_one_mode_has_nothing_to_find_out() -> None:
    with pytest.raises(ConfigError, match="anthropic has one mode, incremental"):
        get_protocol("anthropic").parser(mode="auto")


@pytest.mark.parametrize("mode", ["cumulative", "auto"])
def test_a_row_of_the_users_may_say_it(mode: str) -> None:
    row = Provider(name="acme", protocol="openai-chat", quirks=Quirks(mode=mode))
    outcome = read_pieces([body(*grown(LONG, "a", "b", "c"))], row.parser())
    assert outcome.outputs[0].message.text == LONG + "abc"
    assert read_pieces([body("a", "ab")], row.parser(mode="incremental")).outputs[0].message.text == "aab"
    with pytest.raises(ConfigError, match=mode if mode == "cumulative" else "nothing|none to find out"):
        Provider(name="acme", protocol="anthropic", quirks=Quirks(mode=mode)).parser()


def test_what_was_found_out_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG, "streamkit")
    parser = new(provider="acme")
    assert isinstance(parser, AutoParser)
    assert parser.protocol == "openai-chat"
    parser.feed(body(*grown(LONG, "a", "b", "c")))
    assert caplog.messages == ["the records of acme are read as cumulative"]


def test_heartbeats_are_counted_once() -> None:
    assert read(b": hi\n\n" + body(*grown(LONG, "a", "b", "c"))).heartbeats == 1
