"""Recorded streams of ConverseStream, against what the AWS SDK makes of them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from streamkit.parts import CitationPart, ServerToolPart
from streamkit.protocols import get_protocol
from streamkit.testing.outcome import numbered_ids, read_pieces

bedrock = pytest.mark.recordings(lambda recording: recording.protocol == "bedrock-converse")


@bedrock
def test_a_recording_gives_what_the_official_sdk_makes_of_it(recording: Any) -> None:
    expected = json.loads(recording.path.with_suffix(".expected.json").read_text())
    parser = get_protocol("bedrock-converse").parser(mint=numbered_ids(), **recording.options)
    outcome = read_pieces([recording.body], parser)
    assert outcome.error is None
    output = outcome.outputs[0]
    message = output.message
    assert message.text == expected["text"]
    assert (message.thinking or "") == expected["thinking"]
    assert output.finish_reason is not None
    assert output.finish_reason.raw == expected["finish_reason_raw"]
    ran = [part for part in message.contents if isinstance(part, ServerToolPart) and part.phase == "call"]
    calls = [(part.id, part.name, part.raw["toolUse"]["input"]) for part in ran]
    calls += [(call.id, call.function.name, call.function.arguments) for call in message.tool_calls or []]
    assert calls == [(call["id"], call["name"], json.loads(call["arguments"])) for call in expected["tool_calls"]]
    cited = sum(isinstance(part, CitationPart) for part in message.contents)
    assert cited == expected.get("citations_count", cited)
    counts = expected["usage_raw"] or {}
    if counts:
        assert output.usage is not None
        assert output.usage.total_tokens == counts["totalTokens"]
