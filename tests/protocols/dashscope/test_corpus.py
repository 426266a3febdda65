"""Recorded streams of DashScope, against what a script made of them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from streamkit.protocols import get_protocol
from streamkit.testing.outcome import Outcome, numbered_ids, read_pieces

# Copies without blank lines, which the script could not read; their twins have them.
AS_FOUND = "-asfound"

dashscope = pytest.mark.recordings(lambda recording: recording.protocol == "dashscope")


def read(recording: Any, pieces: Any) -> Outcome:
    return read_pieces(pieces, get_protocol("dashscope").parser(mint=numbered_ids(), **recording.options))


@dashscope
def test_a_recording_gives_what_was_said(recording: Any) -> None:
    twin = recording.path.with_stem(recording.path.stem.removesuffix(AS_FOUND))
    source = twin if twin.exists() else recording.path
    expected = json.loads(source.with_suffix(".expected.json").read_text())
    outcome = read(recording, [recording.body])
    if "error" in expected:
        assert outcome.error is not None
        assert (outcome.error["code"], outcome.error["message"]) == tuple(expected["error"].values())
        assert outcome.error["request_id"] == expected["id"]
        return
    output = outcome.outputs[0]
    assert output.message.text == expected["text"]
    assert (output.message.thinking or "") == expected["thinking"]
    calls = [(call.id, call.function.name, call.function.arguments) for call in output.message.tool_calls or []]
    assert calls == [(call["id"], call["name"], json.loads(call["arguments"])) for call in expected["tool_calls"]]
    assert output.id == expected["id"]
    word = expected["finish_reason_raw"]
    assert (outcome.error or {}).get("kind") == (None if word else "TruncatedStream")  # excerpts have no end
    assert output.finish_reason is not None
    assert output.finish_reason.raw == word
    raw = expected["usage_raw"]
    raw = raw["models"][0] if "models" in raw else raw
    usage = output.usage
    assert usage is not None
    assert (usage.input_tokens or 0) + (usage.cache_read_tokens or 0) == raw["input_tokens"]
    assert usage.output_tokens == raw["output_tokens"]
