"""The contract that every parser keeps: what `feed`, `finish` and an error give, whatever the dialect."""

from __future__ import annotations

import pytest

from streamkit.deltas import MessageEnd, RawFrame, TextDelta
from streamkit.errors import APIError, ConfigError, StreamkitError, TruncatedStream
from streamkit.protocols import PROTOCOLS, Parser, get_protocol
from streamkit.protocols.base import mint_call_id
from streamkit.testing import Answer, render, render_error
from streamkit.testing.event_stream import payload_of
from streamkit.testing.mutations import split_frames
from streamkit.testing.scripts import framing_of

every_protocol = pytest.mark.parametrize("protocol", PROTOCOLS)
ANSWER = Answer(["Hello there"])
# What a record with text ends with, behind the text. Half a binary message is never read, and where nothing ends an
# answer but the input, such a record does.
CLOSERS = {
    "openai-chat": b'},"finish_reason":null}]}',
    "anthropic": b"}}",
    "openai-responses": b"}",
    "gemini": b"}]}}]}",
    "gemini-interactions": b"}}",
    "ollama": b'},"done":false}',
    "cohere": b"}}}}",
    "dashscope": b"}}]}}",
    "llamacpp": b"}",
    "tgi": b"}}",
    "fastchat": b"}",
    "gradio": b"]}}",
    "sglang": b"}",
    "openai-completions": b"}]}",
}

# The dialects without an end of their own: any record may be followed by one of another choice.
ENDS_WITH_THE_INPUT = {"gemini", "dashscope", "llamacpp", "fastchat", "vllm-generate"}


def new(protocol: str, **options: object) -> Parser:
    return get_protocol(protocol).parser(**options)


@every_protocol
def test_an_error_is_raised_by_the_call_after_the_one_that_met_it(protocol: str) -> None:
    frames = split_frames(render(ANSWER, protocol), framing_of(protocol))
    parser = new(protocol)
    deltas = parser.feed(b"".join(frames[:4]) + render_error(protocol))
    assert any(isinstance(delta, TextDelta) for delta in deltas)
    assert parser.ended
    for call in (lambda: parser.feed(b""), parser.finish, parser.finish):
        with pytest.raises(APIError, match="Overloaded"):
            call()


@pytest.mark.parametrize("protocol", [name for name in PROTOCOLS if name not in ("bedrock-converse", "vllm-generate")])
def test_an_error_met_at_the_end_brings_what_could_still_be_completed(protocol: str) -> None:
    body = render(ANSWER, protocol, piece=100).rstrip()
    cut = body[: body.index(b"Hello there") + len("Hello there")] + b'"'
    parser = new(protocol)
    streamed = parser.feed(cut + CLOSERS[protocol])
    assert not any(isinstance(delta, TextDelta) for delta in streamed)
    with pytest.raises(TruncatedStream) as caught:
        parser.finish()
    assert [delta.text for delta in caught.value.deltas if isinstance(delta, TextDelta)] == ["Hello there"]


@every_protocol
def test_nothing_after_the_end_can_change_the_answer(protocol: str) -> None:
    parser = new(protocol)
    deltas = parser.feed(render(ANSWER, protocol))
    if protocol in ENDS_WITH_THE_INPUT:
        deltas += parser.finish()
    assert isinstance(deltas[-1], MessageEnd)
    assert parser.ended
    assert parser.feed(b"data: {broken\n\n") == []
    assert parser.feed(render_error(protocol)) == []
    assert parser.finish() == []


@every_protocol
def test_raw_frames_stand_ahead_of_their_deltas_and_change_nothing_else(protocol: str) -> None:
    body = render(ANSWER, protocol)
    plain, raw = new(protocol).feed(body), new(protocol, include_raw=True).feed(body)
    assert [delta for delta in raw if not isinstance(delta, RawFrame)] == plain
    frames = [delta for delta in raw if isinstance(delta, RawFrame)]
    if framing_of(protocol) == "aws-eventstream":
        body = b"\n".join(map(payload_of, split_frames(body, framing_of(protocol))))
    lines = [line for line in body.decode().replace("\0", "\n").splitlines() if line.startswith(("data:", "{"))]
    lines = [line.removeprefix("data:").removeprefix(" ") for line in lines]
    assert [frame.raw for frame in frames] == lines[: len(frames)]
    assert len(frames) > 2


@every_protocol
@pytest.mark.parametrize("option", [{"framing": "morse"}, {"mode": "backwards"}], ids=["framing", "mode"])
def test_an_unknown_option_is_refused_with_those_that_are_known(protocol: str, option: dict[str, str]) -> None:
    with pytest.raises(ConfigError):
        new(protocol, **option)


@every_protocol
@pytest.mark.parametrize("body", [b"", b"\n\n", b": ping\n\n"], ids=["nothing", "blank", "a comment"])
def test_a_response_that_says_nothing_is_no_answer(protocol: str, body: bytes) -> None:
    body = body if framing_of(protocol) == "sse" else body.removeprefix(b": ping")
    parser = new(protocol)
    assert parser.feed(body) == []
    with pytest.raises(StreamkitError):
        parser.finish()


def test_minted_ids_do_not_repeat() -> None:
    assert len({mint_call_id() for _ in range(1000)}) == 1000
