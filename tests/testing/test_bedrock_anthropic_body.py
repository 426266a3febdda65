"""Scripted answers of Claude at Bedrock: what is wrapped is what Anthropic's own door says."""

from __future__ import annotations

import json
from base64 import b64decode
from typing import Any

from streamkit.providers import get_provider
from streamkit.testing import Answer, Call, Thinking, render, render_error
from streamkit.testing.event_stream import payload_of, split_messages
from streamkit.testing.outcome import numbered_ids, read_pieces
from streamkit.testing.scripts import framing_of
from streamkit.usage import Usage

ANSWER = Answer([Thinking("Hm.", "c2ln"), "It is ", Call("add", {"a": 1}, "toolu_1")], usage=Usage(12, 7))


def records(body: bytes) -> list[dict[str, Any]]:
    return [json.loads(b64decode(json.loads(payload_of(message))["bytes"])) for message in split_messages(body)]


def test_each_record_is_a_chunk_and_the_last_has_the_counts() -> None:
    own = [json.loads(frame.partition(b"data: ")[2]) for frame in render(ANSWER, "anthropic").split(b"\n\n")[:-1]]
    *wrapped, last = records(render(ANSWER, "bedrock-anthropic"))
    assert wrapped == own[:-1]
    metrics = last.pop("amazon-bedrock-invocationMetrics")
    assert last == own[-1] == {"type": "message_stop"}
    assert (metrics["inputTokenCount"], metrics["outputTokenCount"]) == (12, 7)


def test_the_padding_varies() -> None:
    pads = [json.loads(payload_of(message))["p"] for message in split_messages(render(ANSWER, "bedrock-anthropic"))]
    assert len(set(pads)) > 5


def test_the_vendors_parser_reads_it_as_anthropics_reads_its_own() -> None:
    wrapped, own = (
        read_pieces([render(ANSWER, vendor)], get_provider(vendor).parser(mint=numbered_ids(), provider="a"))
        for vendor in ("bedrock-anthropic", "anthropic")
    )
    assert wrapped.outputs == own.outputs
    assert wrapped.error is own.error is None
    assert framing_of("bedrock-anthropic") == "aws-eventstream"


def test_an_error_inside_the_stream_is_awss() -> None:
    body = render_error("bedrock-anthropic", "slow", "throttlingException")
    outcome = read_pieces([body], get_provider("bedrock-anthropic").parser())
    assert outcome.error is not None
    assert (outcome.error["kind"], outcome.error["message"]) == ("RateLimited", "slow")
