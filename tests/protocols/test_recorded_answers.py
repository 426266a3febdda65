"""Recorded streams of the smaller dialects, against what the official SDKs make of them, or a script for it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from streamkit.parts import RawPart
from streamkit.protocols import get_protocol
from streamkit.testing.outcome import Outcome, numbered_ids, read_pieces
from streamkit.usage import Usage

DIALECTS = {"cohere", "llamacpp", "ollama", "openai-completions"}

of_these = pytest.mark.recordings(lambda recording: recording.protocol in DIALECTS)


def read(recording: Any, pieces: Any) -> Outcome:
    return read_pieces(pieces, get_protocol(recording.protocol).parser(mint=numbered_ids(), **recording.options))


def counts(protocol: str, raw: dict[str, Any]) -> tuple[int | None, int | None]:
    """All input and all output tokens of the provider's own object."""
    names = {
        "cohere": ("input_tokens", "output_tokens"),
        "llamacpp": ("tokens_evaluated", "tokens_predicted"),
        "ollama": ("prompt_eval_count", "eval_count"),
        "openai-completions": ("prompt_tokens", "completion_tokens"),
    }
    source = (raw.get("tokens") or {}) if protocol == "cohere" else raw
    given, output = (source.get(name) for name in names[protocol])
    return given, output


@of_these
def test_a_recording_gives_what_was_said(recording: Any) -> None:
    expected = json.loads(recording.path.with_suffix(".expected.json").read_text())
    outcome = read(recording, [recording.body])
    output = outcome.outputs[0]
    message = output.message
    assert message.text == expected["text"]
    assert (message.thinking or "") == expected["thinking"]
    plans = [part.raw["tool_plan"] for part in message.contents if isinstance(part, RawPart)]
    assert "".join(plans) == expected.get("tool_plan", "")
    calls = [(call.id, call.function.name, call.function.arguments) for call in message.tool_calls or []]
    minted = iter(f"minted_{number}" for number in range(len(calls)))
    assert calls == [
        (call["id"] or next(minted), call["name"], json.loads(call["arguments"] or "{}"))
        for call in expected["tool_calls"]
    ]
    assert output.id == expected["id"]
    if "error" in expected:
        assert outcome.error is not None
        assert outcome.error["message"] == expected["error"]
        return
    assert outcome.error is None
    assert output.finish_reason is not None
    assert output.finish_reason.raw == expected["finish_reason_raw"]
    usage = output.usage or Usage()
    given, generated = counts(recording.protocol, expected["usage_raw"] or {})
    assert ((usage.input_tokens or 0) + (usage.cache_read_tokens or 0), usage.output_tokens) == (given or 0, generated)
