"""Recorded streams of those who speak OpenAI's dialect, against what its own SDK makes of them, or a script for it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from streamkit.errors import APIError, TruncatedStream
from streamkit.protocols import get_protocol
from streamkit.providers import get_provider
from streamkit.testing.outcome import Outcome, numbered_ids, read_pieces
from streamkit.usage import Usage

# Vendors whose counts have a meaning of their own.
OWN_COUNTS = {"xai"}
# The expected thinking leaves out what comes in reasoning_details alone.
THINKING_UNKNOWN = {"pydanticai-snowflake-test-snowflake-thinking-streaming"}

openai_chat = pytest.mark.recordings(lambda recording: recording.protocol == "openai-chat")


def read(recording: Any, pieces: Any) -> Outcome:
    source = get_provider(recording.provider) if recording.provider in OWN_COUNTS else get_protocol("openai-chat")
    return read_pieces(pieces, source.parser(mint=numbered_ids(), **recording.options))


def arguments(value: Any) -> Any:
    """Arguments as JSON, or the text where they were cut short."""
    try:
        return json.loads(value or "{}") if isinstance(value, str) else value or {}
    except ValueError:
        return value


def counts(raw: dict[str, Any]) -> tuple[int, int]:
    """All input and all output tokens of a usage object."""
    prompt, completion = raw.get("prompt_tokens") or 0, raw.get("completion_tokens") or 0
    reasoning = (raw.get("completion_tokens_details") or {}).get("reasoning_tokens") or 0
    outside = reasoning and raw.get("total_tokens") == prompt + completion + reasoning
    return prompt, completion + reasoning if outside else completion


def error_kind(recording: Any, expected: dict[str, Any]) -> type[Exception] | None:
    if "error" in expected or b"\nerror: " in recording.body:
        return APIError
    cut_short = "truncated" in recording.features and b"[DONE]" not in recording.body
    return TruncatedStream if cut_short else None


@openai_chat
def test_a_recording_gives_what_the_official_sdk_makes_of_it(recording: Any) -> None:
    expected = json.loads(recording.path.with_suffix(".expected.json").read_text())
    outcome = read(recording, [recording.body])
    kind = error_kind(recording, expected)
    parser = get_protocol("openai-chat").parser(**recording.options)
    if kind is None:
        assert outcome.error is None
    else:
        with pytest.raises(kind):
            parser.feed(recording.body)
            parser.finish()
    if not outcome.outputs[0].message.contents and kind is TruncatedStream:
        return  # nothing came at all
    output = outcome.outputs[0]
    message = output.message
    assert message.text == expected["text"]
    if recording.path.stem not in THINKING_UNKNOWN:
        assert (message.thinking or "") == expected["thinking"]
    refusals = [part.text for part in message.contents if type(part).__name__ == "RefusalPart"]
    assert "".join(refusals) == (expected["refusal"] or "")
    calls = [
        (call.id, call.function.name, call.function.arguments if call.error is None else call.raw_arguments)
        for call in message.tool_calls or []
    ]
    wanted = [(call["id"], call["name"], arguments(call["arguments"])) for call in expected["tool_calls"]]
    assert calls == wanted
    assert (output.id, output.model) == (expected["id"] or None, expected["model"] or None)
    if kind is None:
        assert output.finish_reason is not None
        assert output.finish_reason.raw == expected["finish_reason_raw"]
        assert output.finish_reason.synthesized == (expected["finish_reason_raw"] is None)
    if not expected["usage_raw"]:  # the SDK knows no `x_groq.usage`
        return
    usage = output.usage or Usage()
    read_or_written = (usage.cache_read_tokens or 0) + (usage.cache_write_tokens or 0)
    told = ((usage.input_tokens or 0) + read_or_written, usage.output_tokens or 0)
    assert told == counts(expected["usage_raw"])
