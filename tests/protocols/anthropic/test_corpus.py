"""Recorded streams of Anthropic and of servers that speak like it, against what its own SDK makes of them."""

import json

import pytest

from streamkit.accumulator import accumulate, coalesce
from streamkit.errors import StreamkitError, TruncatedStream
from streamkit.protocols import get_protocol
from streamkit.usage import Usage

# Two answers spliced into one body by hand: the SDK mixes them, streamkit takes the second.
SPLICED = "vercel-spliced-message-start"

COUNTS = {
    "input_tokens": "input_tokens",
    "output_tokens": "output_tokens",
    "cache_read_tokens": "cache_read_input_tokens",
    "cache_write_tokens": "cache_creation_input_tokens",
}

anthropic = pytest.mark.recordings(lambda recording: recording.protocol == "anthropic")


def read(recording, pieces):
    """Return the coalesced deltas and the type of the error, if any."""
    parser = get_protocol("anthropic").parser(mint=lambda: "minted", **recording.options)
    deltas, error = [], None
    try:
        for piece in pieces:
            deltas += parser.feed(piece)
        deltas += parser.finish()
    except StreamkitError as failed:
        deltas += failed.deltas
        error = type(failed)
    return coalesce(deltas), error


def arguments(text):
    """Arguments as JSON, or the text where they were cut short."""
    try:
        return json.loads(text or "{}")
    except ValueError:
        return text


@anthropic
def test_a_recording_gives_what_the_official_sdk_makes_of_it(recording):
    expected = json.loads(recording.path.with_suffix(".expected.json").read_text())
    deltas, error = read(recording, [recording.body])
    assert error is (TruncatedStream if "truncated" in recording.features else None)
    output = accumulate(deltas)
    if recording.path.stem == SPLICED:
        assert (output.id, output.message.thinking) == ("msg_second", "Let me call the tool.")
        assert [call.id for call in output.message.tool_calls] == ["toolu_second"]
        return
    message = output.message
    assert message.text == expected["text"]
    assert (message.thinking or "") == expected["thinking"]
    assert output.id == expected["id"]
    if "block:fallback" not in recording.features:  # there the SDK renames the model in the middle of the answer
        assert output.model == expected["model"]
    calls = [
        (call.id, call.function.name, call.function.arguments if call.error is None else call.raw_arguments)
        for call in message.tool_calls or []
    ]
    assert calls == [(c["id"], c["name"], arguments(c["arguments"])) for c in expected["tool_calls"]]
    if error is None:
        assert output.finish_reason.raw == expected["finish_reason_raw"]
        assert not output.finish_reason.synthesized
    raw, usage = expected["usage_raw"] or {}, output.usage or Usage()
    assert {name: getattr(usage, name) or 0 for name in COUNTS} == {name: raw.get(w) or 0 for name, w in COUNTS.items()}


@anthropic
def test_a_recording_cut_off_anywhere_is_truncated_and_keeps_its_text(recording):
    text = accumulate(read(recording, [recording.body])[0]).message.text
    for at in range(0, len(recording.body), max(1, len(recording.body) // 20)):
        deltas, error = read(recording, [recording.body[:at]])
        output = accumulate(deltas)
        assert error is TruncatedStream or not output.finish_reason.synthesized
        if recording.path.stem != SPLICED:
            assert text.startswith(output.message.text)
