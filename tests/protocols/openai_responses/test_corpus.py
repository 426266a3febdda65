"""Recorded streams of those who speak Responses, against what OpenAI's own SDK makes of them, or a script for it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from streamkit.errors import APIError
from streamkit.protocols import get_protocol
from streamkit.testing.outcome import Outcome, numbered_ids, read_pieces
from streamkit.usage import Usage

openai_responses = pytest.mark.recordings(lambda recording: recording.protocol == "openai-responses")


def read(recording: Any, pieces: Any) -> Outcome:
    parser = get_protocol("openai-responses").parser(mint=numbered_ids(), **recording.options)
    return read_pieces(pieces, parser)


def arguments(value: Any) -> Any:
    """Arguments as JSON, or the text where they are none."""
    try:
        return json.loads(value or "{}") if isinstance(value, str) else value or {}
    except ValueError:
        return value


@openai_responses
def test_a_recording_gives_what_the_official_sdk_makes_of_it(recording: Any) -> None:
    expected = json.loads(recording.path.with_suffix(".expected.json").read_text())
    outcome = read(recording, [recording.body])
    output = outcome.outputs[0]
    message = output.message
    assert message.text == expected["text"]
    assert (message.thinking or "") == expected["thinking"]
    refusals = [part.text for part in message.contents if type(part).__name__ == "RefusalPart"]
    assert "".join(refusals) == (expected["refusal"] or "")
    calls = [
        (call.id, call.function.name, arguments(call.raw_arguments) if call.raw_arguments else call.function.arguments)
        for call in message.tool_calls or []
    ]
    wanted = [(call["id"], call["name"], arguments(call["arguments"])) for call in expected["tool_calls"]]
    assert calls == wanted
    assert output.id == expected["id"]
    if "error" in recording.features:
        assert outcome.error is not None
        parser = get_protocol("openai-responses").parser(**recording.options)
        parser.feed(recording.body)
        with pytest.raises(APIError):
            parser.finish()
        return
    assert outcome.error is None
    assert output.finish_reason is not None
    assert output.finish_reason.raw == expected["finish_reason_raw"]
    usage, raw = output.usage or Usage(), expected["usage_raw"] or {}
    told = (usage.input_tokens or 0) + (usage.cache_read_tokens or 0) + (usage.cache_write_tokens or 0)
    assert (told, usage.output_tokens or 0) == (raw.get("input_tokens", 0), raw.get("output_tokens", 0))
