"""Where streams of Bedrock differ from what one expects: a row each, and what a user sees of it.

That a request is signed as it is sent, and that a key goes without a signature: `tests/credentials/test_aws.py`.
"""

from __future__ import annotations

import json
from struct import pack
from typing import Any
from zlib import crc32

import pytest

from streamkit.blocks import OpaquePart, ThinkingPart
from streamkit.testing.bedrock_anthropic_body import wrap
from streamkit.testing.event_stream import event_message, message, with_headers
from streamkit.usage import Usage
from tests.protocols.edges import read, told

STOP, CALLED = ("stop", "end_turn"), ("tool_call", "tool_use")


def event(name: str, **payload: Any) -> bytes:
    return event_message(name, json.dumps(payload).encode())


def said(key: int, **delta: Any) -> bytes:
    return event("contentBlockDelta", contentBlockIndex=key, delta=delta, p="abcdef")


def ended(key: int) -> bytes:
    return event("contentBlockStop", contentBlockIndex=key)


def call(key: int, *pieces: str) -> bytes:
    start = event(
        "contentBlockStart", contentBlockIndex=key, start={"toolUse": {"toolUseId": f"t{key}", "name": f"f{key}"}}
    )
    return start + b"".join(said(key, toolUse={"input": piece}) for piece in pieces) + ended(key)


def thought(**said_of_it: Any) -> bytes:
    return said(0, reasoningContent=said_of_it)


def failure(kind: str, text: str = "no") -> bytes:
    headers = {":exception-type": kind, ":content-type": "application/json", ":message-type": "exception"}
    return message(headers, json.dumps({"message": text}).encode())


def chunk(**record: Any) -> bytes:
    return wrap(json.dumps(record).encode())


def header(name: str, kind: int, value: bytes) -> bytes:
    return bytes([len(name)]) + name.encode() + bytes([kind]) + value


def prelude(total: int) -> bytes:
    lengths = pack(">II", total, 0)
    return lengths + pack(">I", crc32(lengths))


BEGIN = event("messageStart", role="assistant")
HI = BEGIN + said(0, text="Hi")
END = event("messageStop", stopReason="end_turn")
USAGE = {"inputTokens": 3, "outputTokens": 2, "totalTokens": 5}
COUNTS = event("metadata", usage=USAGE, metrics={"latencyMs": 1}, p="ab")
SPENT = Usage(3, 2)

# Every type that a header's value may have, beside those that say what the message is.
ALL_TYPES = b"".join(
    header(f"x{kind}", kind, value)
    for kind, value in enumerate(
        [b"", b"", b"\1", b"\0\1", bytes(4), bytes(8), b"\0\2ab", b"\0\2ab", bytes(8), bytes(16)]
    )
)

CONVERSE: list[tuple[str, bytes, dict[str, Any]]] = [
    (
        "1 an event without a payload",
        event_message("messageStart", b"") + said(0, text="Hi") + END,
        {
            "text": "Hi",
            "finish": STOP,
        },
    ),
    (
        "2 a wrong checksum of the lengths",
        HI + END[:8] + b"\0\0\0\0" + END[12:],
        {
            "text": "Hi",
            "error": "ProtocolError",
        },
    ),
    ("2 a wrong checksum of the message", HI + END[:-4] + b"\0\0\0\0", {"text": "Hi", "error": "ProtocolError"}),
    ("2 a message shorter than its frame", HI + prelude(15), {"text": "Hi", "error": "ProtocolError"}),
    ("2 an absurd length", HI + prelude(0xFFFFFFFF), {"text": "Hi", "error": "ProtocolError"}),
    ("3 text that nothing announces", HI + ended(0) + END, {"text": "Hi", "finish": STOP}),
    (
        "3 thinking, its signature, then text",
        BEGIN
        + thought(text="Hm")
        + thought(text=".")
        + thought(signature="c2ln")
        + ended(0)
        + said(1, text="Hi")
        + END,
        {"text": "Hi", "thinking": "Hm.", "finish": STOP},
    ),
    (
        "3 thinking that is redacted",
        BEGIN + thought(redactedContent="AAEC") + ended(0) + said(1, text="Hi") + END,
        {"text": "Hi", "finish": STOP},
    ),
    (
        "4 two calls, of which one has no input",
        BEGIN + call(0, "", '{"a"', ": 1}") + call(1) + event("messageStop", stopReason="tool_use"),
        {"calls": [("f0", {"a": 1}), ("f1", {})], "finish": CALLED},
    ),
    (
        "4 an input that was cut short",
        BEGIN + call(0, '{"a"') + event("messageStop", stopReason="max_tokens"),
        {
            "cut calls": [("f0", '{"a"')],
            "finish": ("length", "max_tokens"),
        },
    ),
    ("5 counts behind the stop", HI + END + COUNTS, {"text": "Hi", "finish": STOP, "usage": SPENT}),
    ("5 no counts", HI + END + event("metadata", metrics={"latencyMs": 1}), {"text": "Hi", "finish": STOP}),
    ("5 the end right after the stop", HI + END, {"text": "Hi", "finish": STOP}),
    ("5 the end before the stop", HI + ended(0), {"text": "Hi", "error": "TruncatedStream"}),
    ("6 an exception in the middle", HI + failure("throttlingException"), {"text": "Hi", "error": "RateLimited"}),
    ("6 an exception that no list has", HI + failure("somethingNewException"), {"text": "Hi", "error": "ServerError"}),
    (
        "7 an error that only headers say",
        HI + message({":message-type": "error", ":error-code": "InternalError", ":error-message": "it broke"}),
        {"text": "Hi", "error": "ServerError"},
    ),
    (
        "8 padding, members and events that are new",
        BEGIN
        + said(0, text="Hi")
        + event("somethingNew", p="abc")
        + event("messageStop", stopReason="end_turn", new=1),
        {"text": "Hi", "finish": STOP, "unknown": ['{"p": "abc"}']},
    ),
    ("12 headers of all ten types", HI + with_headers(END, ALL_TYPES), {"text": "Hi", "finish": STOP}),
]

MESSAGE = {"id": "msg_1", "role": "assistant", "model": "claude", "content": [], "usage": {"input_tokens": 3}}
SO_FAR = (
    chunk(type="message_start", message=MESSAGE)
    + chunk(type="content_block_start", index=0, content_block={"type": "text", "text": ""})
    + chunk(type="content_block_delta", index=0, delta={"type": "text_delta", "text": "Hi"})
)
STOPPED = chunk(type="message_delta", delta={"stop_reason": "end_turn"}, usage={"output_tokens": 2})
METRICS = {"inputTokenCount": 30, "outputTokenCount": 2, "invocationLatency": 9, "firstByteLatency": 7}
LAST = chunk(type="message_stop", **{"amazon-bedrock-invocationMetrics": METRICS})

INVOKE: list[tuple[str, bytes, dict[str, Any]]] = [
    (
        "a whole answer, whose counts are Anthropic's",
        SO_FAR + STOPPED + LAST,
        {
            "text": "Hi",
            "finish": STOP,
            "usage": SPENT,
        },
    ),
    (
        "an error of Anthropic's in a chunk",
        SO_FAR + chunk(type="error", error={"type": "overloaded_error", "message": "Overloaded"}),
        {"text": "Hi", "error": "Overloaded", "usage": Usage(3)},
    ),
    (
        "a chunk that is no JSON",
        SO_FAR + wrap(b"\xff\xfe oops"),
        {
            "text": "Hi",
            "error": "ProtocolError",
            "usage": Usage(3),
        },
    ),
    (
        "a chunk that is no base64",
        SO_FAR + event("chunk", bytes="***"),
        {
            "text": "Hi",
            "error": "ProtocolError",
            "usage": Usage(3),
        },
    ),
    ("a chunk of padding", SO_FAR + event("chunk", p="abc") + STOPPED, {"text": "Hi", "finish": STOP, "usage": SPENT}),
    (
        "an exception of Bedrock's",
        SO_FAR + failure("modelTimeoutException"),
        {
            "text": "Hi",
            "error": "ServerError",
            "usage": Usage(3),
        },
    ),
    ("the end before the stop", SO_FAR, {"text": "Hi", "error": "TruncatedStream", "usage": Usage(3)}),
]


@pytest.mark.parametrize(("body", "facts"), [case[1:] for case in CONVERSE], ids=[case[0] for case in CONVERSE])
def test_an_edge_of_converse_is_read(body: bytes, facts: dict[str, Any]) -> None:
    assert told(read(body, "bedrock-converse")) == facts


@pytest.mark.parametrize(("body", "facts"), [case[1:] for case in INVOKE], ids=[case[0] for case in INVOKE])
def test_an_edge_of_claude_in_chunks_is_read(body: bytes, facts: dict[str, Any]) -> None:
    assert told(read(body, "anthropic", framing="aws-eventstream")) == facts


SIGNED = BEGIN + thought(text="Hm.") + thought(signature="c2ln") + thought(redactedContent="AAEC") + END


def test_what_signs_thinking_is_kept_with_it() -> None:
    first, redacted = read(SIGNED, "bedrock-converse").outputs[0].message.iter_blocks()
    assert (first.part, first.signature) == (ThinkingPart("Hm."), "c2ln")
    assert redacted.part == OpaquePart({"reasoningContent": {"redactedContent": "AAEC"}})


RETRIED = [
    ("throttlingException", True),
    ("serviceUnavailableException", True),
    ("internalServerException", True),
    ("modelStreamErrorException", True),
    ("modelTimeoutException", True),
    ("validationException", False),
]


@pytest.mark.parametrize(("kind", "again"), RETRIED, ids=[case[0] for case in RETRIED])
@pytest.mark.parametrize("door", ["converse", "invoke"])
def test_an_exception_says_whether_another_try_makes_sense(door: str, kind: str, again: bool) -> None:
    if door == "converse":
        outcome = read(HI + failure(kind), "bedrock-converse")
    else:
        outcome = read(SO_FAR + failure(kind), "anthropic", framing="aws-eventstream")
    assert outcome.error is not None
    assert (outcome.error["retryable"], outcome.outputs[0].message.text) == (again, "Hi")
