"""Recorded streams of the Interactions API, against what Google's own SDK makes of them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from streamkit.parts import CitationPart, ServerToolPart
from streamkit.protocols import get_protocol
from streamkit.testing.outcome import Outcome, numbered_ids, read_pieces
from streamkit.usage import Usage

interactions = pytest.mark.recordings(lambda recording: recording.protocol == "gemini-interactions")


def read(recording: Any, pieces: Any) -> Outcome:
    return read_pieces(pieces, get_protocol("gemini-interactions").parser(mint=numbered_ids(), **recording.options))


@interactions
def test_a_recording_gives_what_the_official_sdk_makes_of_it(recording: Any) -> None:
    expected = json.loads(recording.path.with_suffix(".expected.json").read_text())
    outcome = read(recording, [recording.body])
    output = outcome.outputs[0]
    message = output.message
    assert outcome.error is None
    assert (message.text, message.thinking or "") == (expected["text"], expected["thinking"])
    assert [(call.id, call.function.name, call.function.arguments) for call in message.tool_calls or ()] == [
        (call["id"], call["name"], json.loads(call["arguments"])) for call in expected["tool_calls"]
    ]
    assert (output.id, output.model) == (expected["id"], expected["model"])
    assert output.finish_reason is not None
    assert output.finish_reason.raw == expected["finish_reason_raw"]
    raw, usage = expected["usage_raw"], output.usage or Usage()
    assert usage.total_tokens == raw["total_tokens"]
    assert usage.reasoning_tokens == raw["total_thought_tokens"]
    assert usage.output_tokens == raw["total_output_tokens"] + raw["total_thought_tokens"]
    assert bool(message.signature) == ("thought" in expected["steps"])
    tools = [part.raw["type"] for part in message.contents if isinstance(part, ServerToolPart)]
    assert tools == [step for step in expected["steps"] if step.startswith("google_search")]
    assert any(isinstance(part, CitationPart) for part in message.contents) == bool(tools)
