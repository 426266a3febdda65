"""The lossless law, dialect by dialect: unknown blocks go back to their origin, broken events are errors."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest

from streamkit.deltas import Delta, RawFrame, UnknownFrame
from streamkit.messages import as_message
from streamkit.parts import RawPart
from streamkit.protocols import PROTOCOLS, Request, get_protocol
from streamkit.protocols.quirks import Quirks
from streamkit.testing import Answer, Thinking, render
from streamkit.testing.event_stream import event_message
from streamkit.testing.mutations import split_frames, unknown_event
from streamkit.testing.outcome import Outcome, numbered_ids, read_pieces
from streamkit.testing.scripts import RENDERED, framing_of

NOVELTY = {"type": "novelty", "n": {"x": [1, None, "é"]}}
FIELD = {"novelty": {"x": [1, None, "é"]}}  # where a block is told by the name of its field
DEEP = b'{"x":' + b"[" * 100_000 + b"]" * 100_000 + b"}"


def read(body: bytes, protocol: str, **options: Any) -> Outcome:
    return read_pieces([body], get_protocol(protocol).parser(provider="acme", mint=numbered_ids(), **options))


def sse(*records: Any) -> bytes:
    return b"".join(b"data: " + json.dumps(record).encode() + b"\n\n" for record in records)


def framed(record: bytes, protocol: str) -> bytes:
    """A record in the framing of a dialect."""
    framing = framing_of(protocol)
    if framing == "aws-eventstream":
        return event_message("contentBlockDelta", record)
    return b"data: " + record + b"\n\n" if framing == "sse" else record + (b"\0" if framing == "nul" else b"\n")


ITEM = {"id": "i", **NOVELTY}
DONE = {"type": "response.completed", "response": {"id": "r", "status": "completed", "output": []}}

# An answer with a block of an unknown kind in each dialect that has blocks, and the block as it must be kept.
BLOCKS: dict[str, tuple[bytes, dict[str, Any]]] = {
    "openai-chat": (
        sse({"choices": [{"index": 0, "delta": {"content": [NOVELTY]}, "finish_reason": "stop"}]}),
        NOVELTY,
    ),
    "openai-responses": (
        sse(
            {"type": "response.output_item.added", "output_index": 0, "item": ITEM},
            {"type": "response.output_item.done", "output_index": 0, "item": ITEM},
            DONE,
        ),
        ITEM,
    ),
    "anthropic": (
        sse(
            {"type": "message_start", "message": {"id": "m", "content": []}},
            {"type": "content_block_start", "index": 0, "content_block": NOVELTY},
            {"type": "content_block_stop", "index": 0},
            {"type": "message_delta", "delta": {"stop_reason": "end_turn"}},
            {"type": "message_stop"},
        ),
        NOVELTY,
    ),
    "gemini": (sse({"candidates": [{"content": {"parts": [FIELD]}, "finishReason": "STOP"}]}), FIELD),
    "gemini-interactions": (
        sse(
            {"event_type": "interaction.created", "interaction": {"id": "i"}},
            {"event_type": "step.start", "index": 0, "step": NOVELTY},
            {"event_type": "step.stop", "index": 0},
            {"event_type": "interaction.completed", "interaction": {"id": "i", "status": "completed"}},
        ),
        NOVELTY,
    ),
    "cohere": (
        sse(
            {"type": "content-start", "index": 0, "delta": {"message": {"content": NOVELTY}}},
            {"type": "content-end", "index": 0},
            {"type": "message-end", "delta": {"finish_reason": "COMPLETE"}},
        ),
        NOVELTY,
    ),
    "bedrock-converse": (
        json.dumps(
            {"output": {"message": {"role": "assistant", "content": [FIELD]}}, "stopReason": "end_turn"}
        ).encode(),
        FIELD,
    ),
    "dashscope": (
        sse({"output": {"choices": [{"message": {"role": "assistant", "content": [FIELD]}, "finish_reason": "stop"}]}}),
        FIELD,
    ),
}


def sent(protocol: str, message: Any, provider: str) -> str:
    history = [as_message("q"), message, as_message("more")]
    request = Request(model="m", messages=history, provider=provider)
    return msgspec.json.encode(get_protocol(protocol).encode(request, Quirks(multimodal=True)).body).decode()


@pytest.mark.parametrize("protocol", BLOCKS)
def test_an_unknown_block_goes_back_unchanged_and_to_its_origin_only(protocol: str) -> None:
    body, block = BLOCKS[protocol]
    outcome = read(body, protocol)
    message = outcome.outputs[0].message
    assert outcome.error is None
    assert message.contents == [RawPart(block)]
    kept = msgspec.json.encode(block).decode()
    assert kept in sent(protocol, message, "acme")
    assert "novelty" not in sent(protocol, message, "another")
    for other in BLOCKS:
        assert other == protocol or "novelty" not in sent(other, message, "acme")


# A known event in a shape that it cannot have.
SHAPES: dict[str, list[bytes]] = {
    "openai-chat": [
        b'{"choices":5}',
        b'{"choices":["a"]}',
        b'{"choices":[{"index":0,"delta":{"content":5}}]}',
    ],
    "openai-responses": [
        b'{"type":"response.output_text.delta","output_index":0,"content_index":0,"item_id":"i","delta":5}',
        b'{"type":"response.output_item.added","output_index":0,"item":5}',
    ],
    "anthropic": [b'{"type":"content_block_delta","index":0,"delta":[]}', b'{"type":"content_block_start","index":0}'],
    "gemini": [
        b'{"candidates":5}',
        b'{"candidates":["a"]}',
        b'{"candidates":[{"content":{"parts":[{"text":5}]}}]}',
        b'{"candidates":[{"content":{"parts":[{"functionCall":"f"}]}}]}',
    ],
    "cohere": [b'{"type":"content-delta","index":0,"delta":{"message":{"content":{"text":5}}}}'],
    "bedrock-converse": [b'{"contentBlockIndex":0,"delta":{"text":5}}', b'{"contentBlockIndex":0,"delta":5}'],
    "dashscope": [b'{"output":5}', b'{"output":{"choices":5}}'],
    "ollama": [b'{"message":5}', b'{"message":{"content":5}}'],
    "llamacpp": [b'{"content":5}'],
    "openai-completions": [b'{"choices":5}', b'{"choices":[{"index":0,"text":5}]}'],
    "sglang": [b'{"text":5,"meta_info":{}}'],
}
SPOILT = {"no JSON": b"hello", "half a JSON": b'{"index":0', "deep nesting": DEEP}
BROKEN = [(protocol, name, frame) for protocol in RENDERED for name, frame in SPOILT.items()] + [
    (protocol, frame.decode(), frame) for protocol, frames in SHAPES.items() for frame in frames
]


@pytest.mark.parametrize(
    ("protocol", "frame"), [(case[0], case[2]) for case in BROKEN], ids=[f"{c[0]}: {c[1]}" for c in BROKEN]
)
def test_a_known_event_that_is_broken_is_an_error_with_the_frame(protocol: str, frame: bytes) -> None:
    body = unknown_event(render(Answer(["Hello"]), protocol), framed(frame, protocol), framing=framing_of(protocol))
    error = read(body, protocol).error
    assert error is not None
    assert error["kind"] == "ProtocolError"
    assert error["frame"]
    assert frame.startswith(error["frame"])


def test_every_scripted_dialect_has_its_row() -> None:
    assert set(BLOCKS) | set(SHAPES) <= set(PROTOCOLS)


# The framings that any dialect may come in: logs of events, an array of them.
def as_lines(records: list[bytes]) -> bytes:
    return b"".join(record + b"\n" for record in records)


def as_array(records: list[bytes]) -> bytes:
    return b"[" + b",\r\n".join(records) + b"]"


ANSWER = Answer([Thinking("Hm"), "Grüße 😀"])


@pytest.mark.parametrize("protocol", [name for name in RENDERED if framing_of(name) == "sse"])
@pytest.mark.parametrize(("framing", "write"), [("json-lines", as_lines), ("json-array", as_array)])
def test_frames_come_through_as_they_are_in_any_framing(protocol: str, framing: str, write: Any) -> None:
    answer = Answer(["Grüße 😀"])
    records = [frame.partition(b"data:")[2].strip() for frame in split_frames(render(answer, protocol))]
    records = [record for record in records if record.startswith(b"{")]
    records.insert(1, json.dumps({"type": "streamkit.unheard_of", "é": 1}, ensure_ascii=False).encode())
    plain, raw = (read(write(records), protocol, framing=framing, include_raw=asked) for asked in (False, True))
    frames = [delta.raw.encode() for delta in raw.deltas if isinstance(delta, RawFrame)]
    assert frames == records[: len(frames)]
    assert len(frames) >= len(records) - 1  # what comes after the end is not read
    assert raw.outputs == plain.outputs
    assert UnknownFrame(records[1].decode()) in raw.deltas


@pytest.mark.parametrize("protocol", RENDERED)
def test_the_bytes_of_a_frame_are_kept_where_they_are_no_text(protocol: str) -> None:
    bad = b'{"type":"streamkit.unheard_of","x":"a\xff\xc3b"}'
    body = unknown_event(render(Answer(["Hi"]), protocol), framed(bad, protocol), framing=framing_of(protocol))
    deltas: list[Delta] = read(body, protocol, include_raw=True).deltas
    frames = [delta for delta in deltas if isinstance(delta, RawFrame)]
    (kept,) = [frame for frame in frames if frame.data is not None]
    assert (kept.data, kept.raw) == (bad, bad.decode("utf-8", "replace"))
    assert msgspec.json.decode(msgspec.json.encode(kept), type=Delta) == kept
