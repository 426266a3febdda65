"""Recorded streams of the Gemini API and of Vertex AI, against what Google's own SDK makes of them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from streamkit.errors import APIError, TruncatedStream
from streamkit.messages import Message
from streamkit.parts import TextPart
from streamkit.protocols import Request, get_protocol
from streamkit.testing.outcome import Outcome, numbered_ids, read_pieces
from streamkit.usage import Usage

# The expected calls are the parts of one, and its values are not put together.
STREAMED_CALL = "vercel-google-vertex-stream-tool-call-arguments-nested.1"
# An error object stands between the records, at which the SDK raises.
BROKEN_OFF = "firebase-streaming-failure-error-mid-stream"

gemini = pytest.mark.recordings(lambda recording: recording.protocol == "gemini")


def read(recording: Any, pieces: Any) -> Outcome:
    return read_pieces(pieces, get_protocol("gemini").parser(mint=numbered_ids(), **recording.options))


def kind(recording: Any, expected: dict[str, Any]) -> type[Exception] | None:
    if recording.path.stem == BROKEN_OFF:
        return APIError
    whole = expected["finish_reason_raw"] is not None or "prompt_blocked" in recording.features
    return None if whole else TruncatedStream


@gemini
def test_a_recording_gives_what_the_official_sdk_makes_of_it(recording: Any) -> None:
    expected = json.loads(recording.path.with_suffix(".expected.json").read_text())
    outcome = read(recording, [recording.body])
    error = kind(recording, expected)
    if error is None:
        assert outcome.error is None
    else:
        parser = get_protocol("gemini").parser(**recording.options)
        with pytest.raises(error):
            _ = parser.feed(recording.body) + parser.finish()
    output = outcome.outputs[0]
    message = output.message
    assert message.text == expected["text"]
    assert (message.thinking or "") == expected["thinking"]
    assert (output.id, output.model) == (expected["id"], expected["model"])
    if error is None and output.finish_reason is not None:
        raw = expected["finish_reason_raw"] or expected["refusal"]  # why a prompt was blocked
        assert output.finish_reason.raw == str(raw)
        assert not output.finish_reason.synthesized
    calls = message.tool_calls or []
    assert all(call.error is None for call in calls)
    if recording.path.stem == STREAMED_CALL:
        assert [call.function.name for call in calls] == ["cookRecipe"]
        assert [len(calls[0].function.arguments["recipe"][name]) for name in ("ingredients", "steps")] == [10, 10]
    else:
        wanted = [(call["name"], json.loads(call["arguments"])) for call in expected["tool_calls"]]
        assert [(call.function.name, call.function.arguments) for call in calls] == wanted
        ids = [call["id"] for call in expected["tool_calls"]]
        assert [None if call.id.startswith("minted_") else call.id for call in calls] == ids
    raw, usage = expected["usage_raw"] or {}, output.usage or Usage()
    prompt = (raw.get("promptTokenCount") or 0) + (raw.get("toolUsePromptTokenCount") or 0)
    answer = (raw.get("candidatesTokenCount") or 0) + (raw.get("thoughtsTokenCount") or 0)
    assert ((usage.input_tokens or 0) + (usage.cache_read_tokens or 0), usage.output_tokens or 0) == (prompt, answer)


@gemini
def test_every_signature_of_a_recording_is_kept_and_goes_back(recording: Any) -> None:
    wanted = recording.body.count(b'"thoughtSignature"')
    message = read(recording, [recording.body]).outputs[0].message
    request = Request(model="m", messages=[Message("user", [TextPart("hi")]), message])
    body = get_protocol("gemini").encode(request).body
    sent = [content for content in body["contents"] if content["role"] == "model"]
    known = [part["thoughtSignature"] for content in sent for part in content["parts"] if "thoughtSignature" in part]
    assert len([signature for signature in known if signature.encode() in recording.body]) == wanted
