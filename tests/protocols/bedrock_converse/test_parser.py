"""Streams of ConverseStream: every event, what is left out, what breaks off and what goes wrong."""

from __future__ import annotations

import json
from typing import Any

import pytest

from streamkit.deltas import (
    BlockAdded,
    CitationAdded,
    Delta,
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
    Overloaded,
    ProtocolError,
    RateLimited,
    ServerError,
    TruncatedStream,
)
from streamkit.limits import Limits
from streamkit.messages import FinishReason
from streamkit.parts import EmbeddedImage, ImagePart, ServerToolPart
from streamkit.protocols import get_protocol
from streamkit.testing.event_stream import event_message, message
from streamkit.testing.outcome import Outcome, numbered_ids, read_pieces
from streamkit.usage import Usage

Event = tuple[str, dict[str, Any]]


def read(pieces: list[bytes], **options: Any) -> Outcome:
    return read_pieces(pieces, get_protocol("bedrock-converse").parser(mint=numbered_ids(), **options))


def body(*events: Event) -> bytes:
    return b"".join(event_message(name, json.dumps(event).encode()) for name, event in events)


def failure(kind: str, text: str = "no") -> bytes:
    headers = {":exception-type": kind, ":content-type": "application/json", ":message-type": "exception"}
    return message(headers, json.dumps({"message": text}).encode())


def delta(key: int | None, **said: Any) -> Event:
    return "contentBlockDelta", {"delta": said} | ({} if key is None else {"contentBlockIndex": key})


def start(key: int, **said: Any) -> Event:
    return "contentBlockStart", {"contentBlockIndex": key, "start": said}


def stop(key: int) -> Event:
    return "contentBlockStop", {"contentBlockIndex": key}


def stopped(reason: str = "end_turn", **more: Any) -> Event:
    return "messageStop", {"stopReason": reason, **more}


BEGIN: Event = ("messageStart", {"role": "assistant", "p": "abc"})
COUNTS: Event = (
    "metadata",
    {"usage": {"inputTokens": 3, "outputTokens": 2, "totalTokens": 5}, "metrics": {}, "p": "a"},
)
FIRST = MessageStart("assistant", protocol="bedrock-converse")
SPENT = UsageSnapshot(Usage(3, 2))
STOP = MessageEnd(FinishReason("stop", "end_turn"))
CALL = MessageEnd(FinishReason("tool_call", "tool_use"))

HI: list[Delta] = [TextStart(0), TextDelta(0, "Hi"), TextEnd(0)]

CASES: list[tuple[str, list[Event], list[Delta]]] = [
    ("text without its start", [delta(0, text="Hi"), stop(0), stopped()], [*HI, STOP]),
    ("text without its stop", [delta(0, text="Hi"), stopped()], [*HI, STOP]),
    ("text with an empty start", [start(0), delta(0, text="Hi"), stop(0), stopped()], [*HI, STOP]),
    ("an empty piece", [delta(0, text=""), delta(0, text="Hi"), stop(0), stopped()], [*HI, STOP]),
    (
        "a block without a number",
        [delta(None, text="H"), delta(None, text="i"), stopped()],
        [TextStart(0), TextDelta(0, "Hi"), TextEnd(0), STOP],
    ),
    (
        "two blocks of text",
        [delta(0, text="a"), stop(0), delta(1, text="b"), stop(1), stopped()],
        [TextStart(0), TextDelta(0, "a"), TextEnd(0), TextStart(1), TextDelta(1, "b"), TextEnd(1), STOP],
    ),
    (
        "two blocks of text without stops",
        [delta(0, text="a"), delta(1, text="b"), stopped()],
        [TextStart(0), TextDelta(0, "a"), TextEnd(0), TextStart(1), TextDelta(1, "b"), TextEnd(1), STOP],
    ),
    (
        "signed thinking, then text",
        [
            delta(0, reasoningContent={"text": "Hm"}),
            delta(0, reasoningContent={"text": "."}),
            delta(0, reasoningContent={"signature": "sig=="}),
            stop(0),
            delta(1, text="Hi"),
            stop(1),
            stopped(),
        ],
        [
            ThinkingStart(0),
            ThinkingDelta(0, "Hm."),
            ThinkingEnd(0, signature="sig=="),
            TextStart(1),
            TextDelta(1, "Hi"),
            TextEnd(1),
            STOP,
        ],
    ),
    (
        "a signature in pieces, without text",
        [delta(0, reasoningContent={"signature": "a"}), delta(0, reasoningContent={"signature": "b"}), stopped()],
        [ThinkingStart(0), ThinkingEnd(0, signature="ab"), STOP],
    ),
    (
        "redacted thinking",
        [delta(0, reasoningContent={"redactedContent": "AAEC/w"}), stop(0), delta(1, text="Hi"), stopped()],
        [
            ThinkingStart(0),
            ThinkingEnd(0, extra={"opaque": {"reasoningContent": {"redactedContent": "AAEC/w"}}}),
            TextStart(1),
            TextDelta(1, "Hi"),
            TextEnd(1),
            STOP,
        ],
    ),
    (
        "redacted thinking in pieces, between plain thinking",
        [
            delta(0, reasoningContent={"text": "a"}),
            delta(0, reasoningContent={"redactedContent": "AAE="}),
            delta(0, reasoningContent={"redactedContent": "Ag=="}),
            delta(0, reasoningContent={"text": "b"}),
            stopped(),
        ],
        [
            ThinkingStart(0),
            ThinkingDelta(0, "a"),
            ThinkingEnd(0),
            ThinkingStart(1),
            ThinkingEnd(1, extra={"opaque": {"reasoningContent": {"redactedContent": "AAEC"}}}),
            ThinkingStart(2),
            ThinkingDelta(2, "b"),
            ThinkingEnd(2),
            STOP,
        ],
    ),
    (
        "a call in pieces",
        [
            start(0, toolUse={"toolUseId": "t1", "name": "f"}),
            delta(0, toolUse={"input": ""}),
            delta(0, toolUse={"input": '{"a"'}),
            delta(0, toolUse={"input": ":1}"}),
            stop(0),
            stopped("tool_use"),
        ],
        [ToolCallStart(0, "t1", "f"), ToolCallDelta(0, '{"a":1}'), ToolCallEnd(0), CALL],
    ),
    (
        "two calls, one without input, said to be a stop",
        [
            start(0, toolUse={"toolUseId": "t1", "name": "f", "type": "tool_use"}),
            stop(0),
            start(1, toolUse={"toolUseId": "", "name": "g"}),
            delta(1, toolUse={"input": {"a": 1}}),
            stop(1),
            stopped(),
        ],
        [
            ToolCallStart(0, "t1", "f"),
            ToolCallEnd(0),
            ToolCallStart(1, "minted_0", "g"),
            ToolCallDelta(1, '{"a":1}'),
            ToolCallEnd(1),
            MessageEnd(FinishReason("tool_call", "end_turn")),
        ],
    ),
    (
        "citations, one of them before its text",
        [delta(0, citation={"title": "t"}), delta(0, text="Hi"), delta(0, citation={"title": "u"}), stop(0), stopped()],
        [
            TextStart(0),
            CitationAdded(0, {"title": "t"}),
            TextDelta(0, "Hi"),
            CitationAdded(0, {"title": "u"}),
            TextEnd(0),
            STOP,
        ],
    ),
    (
        "a tool that the provider runs",
        [
            start(0, toolUse={"toolUseId": "s1", "name": "nova_grounding", "type": "server_tool_use"}),
            delta(0, toolUse={"input": '{"q":'}),
            delta(0, toolUse={"input": '"x"}'}),
            stop(0),
            start(1, toolResult={"toolUseId": "s1", "type": "nova_grounding_result", "status": "success"}),
            delta(1, toolResult=[{"text": "a"}]),
            delta(1, toolResult=[{"json": {"b": 1}}]),
            stop(1),
            stopped(),
        ],
        [
            BlockAdded(
                0,
                ServerToolPart(
                    "call",
                    "s1",
                    "nova_grounding",
                    {
                        "toolUse": {
                            "toolUseId": "s1",
                            "name": "nova_grounding",
                            "type": "server_tool_use",
                            "input": {"q": "x"},
                        }
                    },
                ),
            ),
            BlockAdded(
                1,
                ServerToolPart(
                    "result",
                    "s1",
                    "nova_grounding",
                    {
                        "toolResult": {
                            "toolUseId": "s1",
                            "type": "nova_grounding_result",
                            "status": "success",
                            "content": [{"text": "a"}, {"json": {"b": 1}}],
                        }
                    },
                ),
            ),
            STOP,
        ],
    ),
    (
        "an image in pieces",
        [
            start(0, image={"format": "jpeg"}),
            delta(0, image={"source": {"bytes": "AAE="}}),
            delta(0, image={"source": {"bytes": "Ag=="}}),
            stopped(),
        ],
        [BlockAdded(0, ImagePart(EmbeddedImage("image/jpeg", b"\x00\x01\x02"))), STOP],
    ),
    (
        "blocks, deltas and events of unknown kinds",
        [start(0, dance={"a": 1}), delta(0, dance={"b": 2}), ("danceStart", {"c": 3}), delta(1, text="Hi"), stopped()],
        [
            UnknownFrame('{"contentBlockIndex": 0, "start": {"dance": {"a": 1}}}', "contentBlockStart"),
            UnknownFrame('{"delta": {"dance": {"b": 2}}, "contentBlockIndex": 0}', "contentBlockDelta"),
            UnknownFrame('{"c": 3}', "danceStart"),
            *HI,
            STOP,
        ],
    ),
    (
        "unions with members of null",
        [delta(0, text="Hi", toolUse=None, reasoningContent=None), stop(0), stopped()],
        [*HI, STOP],
    ),
    (
        "a stop sequence",
        [delta(0, text="Hi"), stopped("stop_sequence", additionalModelResponseFields={"stop_sequence": "END"})],
        [*HI, MessageEnd(FinishReason("stop", "stop_sequence", "END"))],
    ),
    ("no blocks at all", [stopped()], [STOP]),
]


@pytest.mark.parametrize(("events", "deltas"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_events_become_deltas(events: list[Event], deltas: list[Delta]) -> None:
    outcome = read([body(BEGIN, *events, COUNTS)])
    assert outcome.error is None
    assert outcome.deltas == [FIRST, *deltas[:-1], SPENT, deltas[-1]]


@pytest.mark.parametrize(("events", "deltas"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_lines_of_json_that_hold_their_names_are_the_same(events: list[Event], deltas: list[Delta]) -> None:
    wrapped = [{name: event} for name, event in (BEGIN, *events, COUNTS)]
    lines = "".join(json.dumps(each) + "\n" for each in wrapped).encode()
    outcome = read([lines], framing="json-lines")
    said = [each for each in outcome.deltas if not isinstance(each, UnknownFrame)]
    assert said == [FIRST, *[each for each in deltas[:-1] if not isinstance(each, UnknownFrame)], SPENT, deltas[-1]]


ENDS: list[tuple[str, list[Event], list[Delta]]] = [
    ("counts behind the stop", [stopped(), COUNTS], [SPENT, STOP]),
    ("counts before the stop", [COUNTS, stopped()], [SPENT, STOP]),
    ("no counts", [stopped()], [STOP]),
    ("metadata without counts", [stopped(), ("metadata", {"metrics": {"latencyMs": 1}})], [STOP]),
    (
        "counts of a cache",
        [
            stopped(),
            (
                "metadata",
                {
                    "usage": {
                        "inputTokens": 3,
                        "outputTokens": 2,
                        "totalTokens": 45,
                        "cacheReadInputTokens": 30,
                        "cacheWriteInputTokens": 10,
                    }
                },
            ),
        ],
        [UsageSnapshot(Usage(3, 2, 30, 10)), STOP],
    ),
    (
        "why a guardrail stepped in",
        [stopped("guardrail_intervened"), ("metadata", {"trace": {"guardrail": {"actionReason": "Blocked."}}})],
        [MessageEnd(FinishReason("refusal", "guardrail_intervened", "Blocked."))],
    ),
    (
        "a stop without a reason",
        [("messageStop", {}), COUNTS],
        [SPENT, MessageEnd(FinishReason("stop", synthesized=True))],
    ),
]


@pytest.mark.parametrize(("events", "deltas"), [case[1:] for case in ENDS], ids=[case[0] for case in ENDS])
def test_the_answer_ends_once_stop_and_counts_are_there_or_the_input_ends(
    events: list[Event], deltas: list[Delta]
) -> None:
    outcome = read([body(BEGIN, delta(0, text="Hi"), stop(0), *events)])
    assert outcome.error is None
    assert outcome.deltas == [FIRST, *HI, *deltas]


def test_counts_that_are_cut_short_spoil_nothing() -> None:
    whole = body(BEGIN, delta(0, text="Hi"), stop(0), stopped(), COUNTS)
    outcome = read([whole[:-20]])
    assert outcome.error is None
    assert outcome.deltas == [FIRST, *HI, STOP]


def test_the_answer_ends_with_its_last_byte_and_what_follows_is_not_read() -> None:
    parser = get_protocol("bedrock-converse").parser()
    parser.feed(body(BEGIN, delta(0, text="Hi"), stopped()))
    assert not parser.ended
    parser.feed(body(COUNTS))
    assert parser.ended
    assert parser.feed(failure("throttlingException")) == parser.finish() == []


def test_a_stream_without_its_start_is_read() -> None:
    assert read([body(delta(0, text="Hi"), stop(0), stopped(), COUNTS)]).deltas == [FIRST, *HI, SPENT, STOP]


def test_a_stream_may_be_cut_at_every_byte_and_empty_payloads_are_nothing() -> None:
    whole = body(BEGIN, *CASES[10][1], COUNTS)
    uncut = read([whole])
    assert uncut.error is None
    for at in range(len(whole)):
        assert read([whole[:at], whole[at:]]) == uncut
    empty = event_message("danceStart", b"") + whole
    assert read([empty]).deltas == [UnknownFrame("{}", "danceStart"), *uncut.deltas]


FAILURES: list[tuple[str, str, type[APIError], bool]] = [
    ("throttlingException", "Too many requests", RateLimited, True),
    ("throttlingException", "Too many tokens, please wait before trying again.", RateLimited, True),
    ("modelStreamErrorException", "The model broke", ServerError, True),
    ("internalServerException", "no", ServerError, True),
    ("serviceUnavailableException", "no", Overloaded, True),
    ("modelTimeoutException", "no", ServerError, True),
    ("validationException", "no", InvalidRequest, False),
    ("ValidationException", "Input is too long for requested model.", ContextOverflow, False),
]


@pytest.mark.parametrize(("kind", "text", "error", "retryable"), FAILURES, ids=[f"{c[0]}: {c[1]}" for c in FAILURES])
@pytest.mark.parametrize("late", [False, True], ids=["mid-answer", "before the counts"])
def test_an_exception_inside_the_stream_is_a_typed_error_behind_what_came(
    kind: str, text: str, error: type[APIError], retryable: bool, late: bool
) -> None:
    parser = get_protocol("bedrock-converse").parser(provider="bedrock")
    deltas = parser.feed(body(BEGIN, delta(0, text="Hi"), *([stopped()] if late else [])) + failure(kind, text))
    first = MessageStart("assistant", provider="bedrock", protocol="bedrock-converse")
    assert deltas == [first, *(HI if late else HI[:2])]
    with pytest.raises(APIError) as caught:
        parser.finish()
    assert type(caught.value) is error
    assert (caught.value.message, caught.value.type, caught.value.status) == (text, kind, 200)
    assert (caught.value.provider, caught.value.retryable) == ("bedrock", retryable)


def test_an_error_that_only_headers_say_is_typed() -> None:
    headers = {":message-type": "error", ":error-code": "InternalServerError", ":error-message": "It broke"}
    outcome = read([body(BEGIN) + message(headers)])
    assert outcome.error is not None
    assert (outcome.error["kind"], outcome.error["message"]) == ("ServerError", "It broke")


WHOLE: list[tuple[str, bytes, str]] = [
    ("an error as the whole body", b'{"message":"Too many requests","__type":"ThrottlingException"}', "RateLimited"),
    ("an error in capitals", b'{"Message":"User: x is not authorized"}', "ServerError"),
    ("a wrapped exception", b'{"validationException":{"message":"Input is too long"}}', "ContextOverflow"),
    ("a page", b"<html>502</html>", "ServerError"),
    ("a text", b"no healthy upstream", "ServerError"),
    ("half a body", b'{"message":', "TruncatedStream"),
]


@pytest.mark.parametrize(("said", "kind"), [case[1:] for case in WHOLE], ids=[case[0] for case in WHOLE])
def test_a_body_that_is_no_stream_is_an_error(said: bytes, kind: str) -> None:
    outcome = read([said])
    assert outcome.error is not None
    assert outcome.error["kind"] == kind


def test_an_answer_that_was_not_streamed_is_read() -> None:
    answer = {
        "output": {"message": {"role": "assistant", "content": [{"text": "Hi"}]}},
        "stopReason": "end_turn",
        "usage": {"inputTokens": 3, "outputTokens": 2, "totalTokens": 5},
        "metrics": {"latencyMs": 1},
    }
    assert read([json.dumps(answer).encode()]).deltas == [FIRST, *HI, SPENT, STOP]


def test_a_chunk_of_invoke_model_is_an_event_with_its_name() -> None:
    chunks = b"".join(
        event_message("chunk", b'{"bytes":"%s","p":"ab"}' % data)
        for data in (
            b"eyJjb250ZW50QmxvY2tEZWx0YSI6eyJkZWx0YSI6eyJ0ZXh0IjoiSGkifSwiY29udGVudEJsb2NrSW5kZXgiOjB9fQ==",
            b"eyJtZXNzYWdlU3RvcCI6eyJzdG9wUmVhc29uIjoiZW5kX3R1cm4ifX0=",
        )
    )
    assert read([chunks]).deltas == [FIRST, *HI, STOP]


BROKEN: list[tuple[str, Event, str]] = [
    ("a delta that is a list", ("contentBlockDelta", {"contentBlockIndex": 0, "delta": []}), "delta"),
    ("no delta", ("contentBlockDelta", {"contentBlockIndex": 0}), "delta"),
    ("text that is a number", delta(0, text=5), "text"),
    ("a number that is a text", ("contentBlockDelta", {"contentBlockIndex": "a", "delta": {"text": "x"}}), "Index"),
    ("thinking that is a text", delta(0, reasoningContent="x"), "reasoningContent"),
    ("a call without a place", delta(7, toolUse={"input": "{"}), "block 7"),
    ("a start that is a text", ("contentBlockStart", {"contentBlockIndex": 0, "start": "x"}), "start"),
    ("a result that is a text", delta(0, toolResult="x"), "toolResult"),
    ("an image that is a text", delta(0, image="x"), "image"),
    ("counts that are texts", ("metadata", {"usage": {"inputTokens": "many"}}), "metadata"),
]


@pytest.mark.parametrize(("event", "says"), [case[1:] for case in BROKEN], ids=[case[0] for case in BROKEN])
def test_a_known_event_in_a_broken_shape_is_an_error_with_the_frame(event: Event, says: str) -> None:
    parser = get_protocol("bedrock-converse").parser()
    assert parser.feed(body(BEGIN, delta(0, text="Hi"), event, stopped()))[:3] == [FIRST, *HI[:2]]
    with pytest.raises(ProtocolError, match=says) as caught:
        parser.finish()
    assert caught.value.frame == json.dumps(event[1]).encode()


def test_deep_nesting_and_no_json_are_errors() -> None:
    for payload in (b'{"x":' + b"[" * 100_000 + b"]" * 100_000 + b"}", b"hello", b"[]", b"null"):
        outcome = read([body(BEGIN) + event_message("contentBlockDelta", payload)])
        assert outcome.error is not None
        assert outcome.error["kind"] == "ProtocolError"


def test_a_stream_that_ends_before_its_stop_is_truncated_and_shows_what_came() -> None:
    parser = get_protocol("bedrock-converse").parser()
    deltas = parser.feed(body(BEGIN, delta(0, text="Hi"), stop(0)))
    assert deltas == [FIRST, *HI]
    with pytest.raises(TruncatedStream, match="no messageStop"):
        parser.finish()


def test_arguments_over_the_limit_are_refused() -> None:
    for kind in ("tool_use", "server_tool_use"):
        begun = start(0, toolUse={"toolUseId": "t", "name": "f", "type": kind})
        pieces = [delta(0, toolUse={"input": "x" * 60}) for _ in range(2)]
        outcome = read([body(BEGIN, begun, *pieces, stop(0), stopped())], limits=Limits(max_argument_bytes=100))
        assert outcome.error is not None
        assert "max_argument_bytes" in outcome.error["says"]
