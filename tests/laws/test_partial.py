"""The end law where it reaches the user: the error of a recording that breaks off holds all that had come of it."""

from __future__ import annotations

from random import Random
from typing import Any

import httpx
import pytest

from streamkit.client import Client
from streamkit.deltas import Delta
from streamkit.errors import StreamkitError
from streamkit.protocols import get_protocol
from streamkit.providers import Provider
from streamkit.testing.mutations import split_frames
from streamkit.testing.outcome import numbered_ids, read_pieces
from streamkit.testing.replay import ReplayTransport
from streamkit.testing.replies import Reply

SHARE = 0.15  # of the recordings, the same ones each time


def is_chosen(recording: Any) -> bool:
    kind = get_protocol(recording.protocol).parser_type
    as_it_is_asked_for = recording.framing == kind.framing and recording.mode in (None, kind.modes[0])
    return as_it_is_asked_for and Random(recording.path.stem).random() < SHARE


@pytest.mark.recordings.with_args(is_chosen)
async def test_what_was_shown_of_a_recording_is_in_the_error(recording: Any) -> None:
    frames = split_frames(recording.body, recording.framing)
    cut = sum(map(len, frames[: len(frames) * 2 // 3])) + 20
    body = recording.body[:cut]
    parsed = read_pieces([body], get_protocol(recording.protocol).parser(mint=numbered_ids()))
    row = Provider(name="acme", protocol=recording.protocol, base_url="http://localhost")
    shown: list[Delta] = []
    failed: StreamkitError | None = None
    async with httpx.AsyncClient(transport=ReplayTransport(Reply(body=body, ends="drops"))) as http:
        async with Client("m", provider=row, http_client=http, retry=0).stream("hi") as stream:
            try:
                async for delta in stream:
                    shown.append(delta)  # noqa: PERF401 - each as it comes, whatever follows
            except StreamkitError as error:
                failed = error
    assert type(failed).__name__ == (parsed.error["kind"] if parsed.error else "NoneType")
    kept = stream.output if failed is None else failed.partial
    assert kept is not None
    assert (kept.finish_reason is None) == (failed is not None)
    message = parsed.outputs[0].message
    assert (kept.message.text, kept.message.thinking) == (message.text, message.thinking)
    assert [call.function for call in kept.message.tool_calls or []] == [
        call.function for call in message.tool_calls or []
    ]
