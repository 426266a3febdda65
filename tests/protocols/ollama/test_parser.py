"""The lines of Ollama's API → deltas: every form that servers of any age send."""

from __future__ import annotations

import json
from typing import Any

import pytest

from streamkit.accumulator import accumulate
from streamkit.deltas import (
    BlockAdded,
    Delta,
    Logprobs,
    MessageEnd,
    MessageStart,
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
    ContextOverflow,
    InvalidRequest,
    NotFound,
    ProtocolError,
    ServerError,
    TruncatedStream,
)
from streamkit.messages import FinishReason, MessageOutput
from streamkit.parts import EmbeddedImage, ImagePart
from streamkit.protocols import Parser, Quirks, get_protocol
from streamkit.testing.chunking import bytewise, two_parts
from streamkit.testing.outcome import numbered_ids, read_pieces
from streamkit.usage import Usage

HEAD = {"model": "m", "created_at": "2026-01-01T00:00:00.1+02:00"}
START = MessageStart(model="m", provider="acme", protocol="ollama")


def chat(done: bool = False, **message: Any) -> dict[str, Any]:
    return {**HEAD, "message": {"role": "assistant", "content": "", **message}, "done": done}


def last(**fields: Any) -> dict[str, Any]:
    return {**HEAD, "message": {"role": "assistant", "content": ""}, "done": True, "done_reason": "stop", **fields}


def call(name: str = "add", arguments: Any = None, **fields: Any) -> dict[str, Any]:
    return {"function": {"name": name, "arguments": {} if arguments is None else arguments, **fields}}


def body(*records: dict[str, Any]) -> bytes:
    return b"".join(
        json.dumps(record, separators=(",", ":"), ensure_ascii=False).encode() + b"\n" for record in records
    )


def new(**options: Any) -> Parser:
    return get_protocol("ollama").parser(provider="acme", mint=numbered_ids(), **options)


def read(data: bytes, **options: Any) -> list[Delta]:
    parser = new(**options)
    return parser.feed(data) + parser.finish()


def output(data: bytes, **options: Any) -> MessageOutput:
    return accumulate(read(data, **options))


STOP = MessageEnd(FinishReason("stop", "stop"))
CASES: list[tuple[str, list[dict[str, Any]], list[Delta]]] = [
    (
        "text",
        [chat(content="Hel"), chat(content="lo"), last()],
        [START, TextStart(0), TextDelta(0, "Hel"), TextDelta(0, "lo"), TextEnd(0), STOP],
    ),
    (
        "thinking, then content",
        [chat(thinking="Hm"), chat(thinking="."), chat(content="So"), last()],
        [
            START,
            *(ThinkingStart(0), ThinkingDelta(0, "Hm"), ThinkingDelta(0, "."), ThinkingEnd(0)),
            *(TextStart(1), TextDelta(1, "So"), TextEnd(1), STOP),
        ],
    ),
    (
        "thinking and content in one record",
        [chat(thinking="Hm", content="So"), last()],
        [
            START,
            *(ThinkingStart(0), ThinkingDelta(0, "Hm"), ThinkingEnd(0)),
            *(TextStart(1), TextDelta(1, "So"), TextEnd(1), STOP),
        ],
    ),
    (
        "thinking only",
        [chat(thinking="Hm"), last()],
        [START, ThinkingStart(0), ThinkingDelta(0, "Hm"), ThinkingEnd(0), STOP],
    ),
    (
        "a last record with text",
        [chat(content="Hel"), {**last(), "message": {"role": "assistant", "content": "lo"}}],
        [START, TextStart(0), TextDelta(0, "Hel"), TextDelta(0, "lo"), TextEnd(0), STOP],
    ),
    (
        "a last record without a message",
        [chat(content="Hi"), {**HEAD, "done": True, "done_reason": "stop"}],
        [START, TextStart(0), TextDelta(0, "Hi"), TextEnd(0), STOP],
    ),
    (
        "counts",
        [chat(content="Hi"), last(prompt_eval_count=9, eval_count=4, total_duration=1)],
        [START, TextStart(0), TextDelta(0, "Hi"), TextEnd(0), UsageSnapshot(Usage(9, 4)), STOP],
    ),
    ("one count", [last(eval_count=4)], [START, UsageSnapshot(Usage(None, 4)), STOP]),
    ("counts that are none", [last(prompt_eval_count="9", eval_count=-1)], [START, STOP]),
    (
        "logarithms of probabilities",
        [chat(content="Hi") | {"logprobs": [{"token": "Hi", "logprob": -0.5, "bytes": [72, 105]}]}, last()],
        [
            START,
            *(TextStart(0), TextDelta(0, "Hi"), Logprobs([{"token": "Hi", "logprob": -0.5, "bytes": [72, 105]}])),
            *(TextEnd(0), STOP),
        ],
    ),
    (
        "an image",
        [chat(content="Look"), chat(images=["iVBORw=="]), last()],
        [
            START,
            *(TextStart(0), TextDelta(0, "Look"), TextEnd(0)),
            *(BlockAdded(1, ImagePart(EmbeddedImage("image/png", b"\x89PNG"))), STOP),
        ],
    ),
    (
        "generate",
        [{**HEAD, "response": "Hel", "done": False}, {**HEAD, "response": "lo", "done": True, "done_reason": "length"}],
        [
            START,
            *(TextStart(0), TextDelta(0, "Hel"), TextDelta(0, "lo"), TextEnd(0)),
            MessageEnd(FinishReason("length", "length")),
        ],
    ),
    (
        "generate, thinking and a call",
        [
            {**HEAD, "response": "", "thinking": "Hm", "done": False},
            {**HEAD, "response": "", "tool_calls": [call(arguments={"a": 1})], "done": False},
            {**HEAD, "response": "", "done": True, "done_reason": "stop", "context": [1, 2]},
        ],
        [
            START,
            *(ThinkingStart(0), ThinkingDelta(0, "Hm"), ThinkingEnd(0)),
            *(ToolCallStart(1, "minted_0", "add"), ToolCallDelta(1, '{"a":1}'), ToolCallEnd(1)),
            MessageEnd(FinishReason("tool_call", "stop")),
        ],
    ),
    (
        "text, a call, text",
        [chat(content="Let me. "), chat(tool_calls=[call(arguments={"a": 1})]), chat(content="So"), last()],
        [
            START,
            *(TextStart(0), TextDelta(0, "Let me. "), TextEnd(0)),
            *(ToolCallStart(1, "minted_0", "add"), ToolCallDelta(1, '{"a":1}'), ToolCallEnd(1)),
            *(TextStart(2), TextDelta(2, "So"), TextEnd(2)),
            MessageEnd(FinishReason("tool_call", "stop")),
        ],
    ),
    (
        "a line separator of Unicode inside a string",
        [chat(content="a\u2028b\u0085c"), last()],
        [START, TextStart(0), TextDelta(0, "a\u2028b\u0085c"), TextEnd(0), STOP],
    ),
    (
        "a record that nobody knows",
        [chat(content="a"), {"status": "pulling"}, chat(content="b"), last()],
        [
            START,
            *(TextStart(0), TextDelta(0, "a"), UnknownFrame('{"status":"pulling"}'), TextDelta(0, "b"), TextEnd(0)),
            STOP,
        ],
    ),
]


@pytest.mark.parametrize(("records", "deltas"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_records_are_deltas_in_any_cut(records: list[dict[str, Any]], deltas: list[Delta]) -> None:
    data = body(*records)
    assert read(data) == deltas
    whole = read_pieces([data], new())
    assert whole.error is None
    for pieces in (bytewise(data), *two_parts(data)):
        assert read_pieces(pieces, new()) == whole


FRAMINGS = [
    ("LF", lambda data: data),
    ("CRLF", lambda data: data.replace(b"\n", b"\r\n")),
    ("blank lines", lambda data: data.replace(b"\n", b"\n\n")),
    ("no last line end", lambda data: data.rstrip()),
    ("escapes", lambda data: data.replace("é😀".encode(), b"\\u00e9\\ud83d\\ude00")),
]


@pytest.mark.parametrize("change", [case[1] for case in FRAMINGS], ids=[case[0] for case in FRAMINGS])
def test_lines_may_end_in_any_way(change: Any) -> None:
    data = change(body(chat(content="é😀"), chat(content="b"), last()))
    for pieces in ([data], bytewise(data), *two_parts(data)):
        outcome = read_pieces(pieces, new())
        assert outcome.error is None
        assert outcome.outputs[0].message.text == "é😀b"


CALLS: list[tuple[str, list[dict[str, Any]], list[tuple[str, str, dict[str, Any]]]]] = [
    ("no id", [chat(tool_calls=[call("f", {"a": 1})])], [("minted_0", "f", {"a": 1})]),
    ("an id", [chat(tool_calls=[{"id": "call_1", **call("f")}])], [("call_1", "f", {})]),
    ("an empty id", [chat(tool_calls=[{"id": "", **call("f")}])], [("minted_0", "f", {})]),
    (
        "two in one record, of one name",
        [chat(tool_calls=[call("f", {"a": 1}, index=0), call("f", {"a": 2}, index=1)])],
        [("minted_0", "f", {"a": 1}), ("minted_1", "f", {"a": 2})],
    ),
    (
        "in two records, both numbered 0",
        [chat(tool_calls=[call("f", {"a": 1}, index=0)]), chat(tool_calls=[call("g", {"b": 2}, index=0)])],
        [("minted_0", "f", {"a": 1}), ("minted_1", "g", {"b": 2})],
    ),
    (
        "nested, in order",
        [chat(tool_calls=[call("f", {"z": {"y": [1, None], "a": "é"}, "b": 2**70})])],
        [("minted_0", "f", {"z": {"y": [1, None], "a": "é"}, "b": 2**70})],
    ),
    ("as text", [chat(tool_calls=[call("f", '{"a":1}')])], [("minted_0", "f", {"a": 1})]),
    ("none at all", [chat(tool_calls=[{"function": {"name": "f"}}])], [("minted_0", "f", {})]),
    ("a hole in the list", [chat(tool_calls=[None, call("f")])], [("minted_0", "f", {})]),
    ("on the last record", [{**last(), "message": {"tool_calls": [call("f")]}}], [("minted_0", "f", {})]),
]


@pytest.mark.parametrize(("records", "calls"), [case[1:] for case in CALLS], ids=[case[0] for case in CALLS])
def test_a_call_comes_whole(records: list[dict[str, Any]], calls: list[tuple[str, str, dict[str, Any]]]) -> None:
    records = records if records[-1]["done"] else [*records, last()]
    said = output(body(*records))
    found = [(call.id, call.function.name, call.function.arguments) for call in said.message.tool_calls or []]
    assert found == calls
    assert [list(arguments) for _, _, arguments in found] == [list(arguments) for _, _, arguments in calls]
    assert said.finish_reason == FinishReason("tool_call", "stop")


def test_a_call_may_be_run_as_soon_as_its_record_came() -> None:
    assert new().feed(body(chat(tool_calls=[call("f", {"a": 1})])))[-1] == ToolCallEnd(0)


def test_arguments_that_are_no_object_are_told_as_they_are() -> None:
    calls = output(body(chat(tool_calls=[call("f", [1])]), last())).message.tool_calls or []
    assert [(each.raw_arguments, each.function.arguments) for each in calls] == [("[1]", {})]


REASONS = [
    ("stop", {"done_reason": "stop"}, FinishReason("stop", "stop")),
    ("length", {"done_reason": "length"}, FinishReason("length", "length")),
    ("load", {"done_reason": "load"}, FinishReason("other", "load")),
    ("unload", {"done_reason": "unload"}, FinishReason("other", "unload")),
    ("a new word", {"done_reason": "bored"}, FinishReason("other", "bored")),
    ("empty", {"done_reason": ""}, FinishReason("stop", synthesized=True)),
    ("no word", {"done_reason": None}, FinishReason("stop", synthesized=True)),
    ("no text", {"done_reason": 5}, FinishReason("stop", synthesized=True)),
]


@pytest.mark.parametrize(("fields", "reason"), [case[1:] for case in REASONS], ids=[case[0] for case in REASONS])
def test_the_reason_is_kept_as_the_server_says_it(fields: dict[str, Any], reason: FinishReason) -> None:
    assert output(body(last(**fields))).finish_reason == reason


def test_an_answer_that_was_not_streamed_is_read_as_well() -> None:
    said = output(body(last(prompt_eval_count=3, eval_count=2) | {"message": {"content": "Hi", "thinking": "Hm"}}))
    assert (said.message.text, said.message.thinking, said.usage) == ("Hi", "Hm", Usage(3, 2))


FAILURES: list[tuple[str, str, type[APIError], bool]] = [
    ("anything", "an error was encountered while running the model", ServerError, True),
    ("no such model", "model 'x' not found", NotFound, False),
    ("no tools", "registry.ollama.ai/library/m:latest does not support tools", InvalidRequest, False),
    ("no thinking", '"m" does not support thinking', InvalidRequest, False),
    ("too long", "input length exceeds the context length", ContextOverflow, False),
]


@pytest.mark.parametrize(("text", "kind", "again"), [case[1:] for case in FAILURES], ids=[case[0] for case in FAILURES])
@pytest.mark.parametrize("before", [[], [chat(content="Hi")]], ids=["at once", "later"])
def test_an_error_is_of_the_class_that_its_text_says(
    text: str, kind: type[APIError], again: bool, before: list[dict[str, Any]]
) -> None:
    parser = new()
    deltas = parser.feed(body(*before, {"error": text}))
    assert [delta.text for delta in deltas if isinstance(delta, TextDelta)] == ["Hi"] * len(before)
    with pytest.raises(kind) as caught:
        parser.finish()
    assert type(caught.value) is kind
    assert (caught.value.message, caught.value.status, caught.value.provider) == (text, 200, "acme")
    assert caught.value.retryable == again


BROKEN: list[tuple[str, bytes]] = [
    ("no JSON", b"hello\n"),
    ("half JSON", b'{"message":{"content":"a"\n'),
    ("content that is a number", b'{"message":{"content":5},"done":false}\n'),
    ("a message that is text", b'{"message":"a","done":false}\n'),
    ("a call that is text", b'{"message":{"tool_calls":["a"]},"done":false}\n'),
    ("a call without a function", b'{"message":{"tool_calls":[{"id":"a"}]},"done":false}\n'),
    ("an image that is no base64", b'{"message":{"images":["*"]},"done":false}\n'),
    ("deep nesting", b'{"message":{},"x":' + b"[" * 100_000 + b"]" * 100_000 + b"}\n"),
]


@pytest.mark.parametrize("line", [case[1] for case in BROKEN], ids=[case[0] for case in BROKEN])
def test_a_broken_record_is_an_error_with_the_frame(line: bytes) -> None:
    parser = new()
    deltas = parser.feed(body(chat(content="Hi")) + line)
    assert TextDelta(0, "Hi") in deltas
    with pytest.raises(ProtocolError) as caught:
        parser.finish()
    assert caught.value.frame
    assert line.startswith(bytes(caught.value.frame))


CUT = [
    ("nothing", b"", "before an answer began"),
    ("no last record", body(chat(content="Hi")), "in the middle of the answer"),
    ("half the last record", body(chat(content="Hi")) + body(last())[:-4], "in the middle of the answer"),
    ("only what nobody knows", b'{"status":"pulling"}\n', "before an answer began"),
]


@pytest.mark.parametrize(("data", "where"), [case[1:] for case in CUT], ids=[case[0] for case in CUT])
def test_a_stream_without_its_last_record_is_truncated(data: bytes, where: str) -> None:
    with pytest.raises(TruncatedStream, match=where):
        read(data)


def test_a_server_that_never_says_done_may_be_taken_at_its_word() -> None:
    said = output(body(chat(content="Hi")), quirks=Quirks(end_without_finish=True))
    assert (said.message.text, said.finish_reason) == ("Hi", FinishReason("stop", synthesized=True))
    with pytest.raises(TruncatedStream):
        read(b"", quirks=Quirks(end_without_finish=True))


def test_a_page_of_a_gateway_is_an_error_that_says_so() -> None:
    with pytest.raises(ServerError, match="web page .*502 Bad Gateway"):
        read(b"<html><body>502 Bad Gateway</body></html>")


TAGGED = [
    ("whole", ["<think>Hm</think>So"]),
    ("in pieces", ["<th", "ink>H", "m</thi", "nk>S", "o"]),
    ("before a call", ["<think>Hm</think>So<"]),
]


@pytest.mark.parametrize("pieces", [case[1] for case in TAGGED], ids=[case[0] for case in TAGGED])
def test_thinking_in_tags_is_thinking_where_the_quirk_says_so(pieces: list[str]) -> None:
    records = [*(chat(content=piece) for piece in pieces), chat(tool_calls=[call()]), last()]
    message = output(body(*records), quirks=Quirks(think_tags=True)).message
    assert (message.thinking, message.text) == ("Hm", "So<" if pieces[0].endswith("<") else "So")
    assert output(body(*records)).message.text == "".join(pieces)


def test_halves_of_a_character_are_joined_across_records() -> None:
    data = body(chat(content="A"), last()).replace(b'"A"', b'"\\ud83d"') + b""
    cut = data.split(b"\n", 1)
    second = body(chat(content="B")).replace(b'"B"', b'"\\ude00"')
    assert output(cut[0] + b"\n" + second + cut[1]).message.text == "😀"
    assert output(data).message.text == "\ufffd"
