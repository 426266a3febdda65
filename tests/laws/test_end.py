"""The end law: every stream ends in exactly one way, and nothing that was shown is lost."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import accumulate
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streamkit.accumulator import Accumulator
from streamkit.deltas import (
    AudioDelta,
    BlockAdded,
    Delta,
    Logprobs,
    MessageEnd,
    MessageStart,
    RawFrame,
    RefusalStart,
    Replace,
    Retract,
    TextStart,
    ThinkingStart,
    ToolCallEnd,
    ToolCallStart,
    UnknownFrame,
    UsageSnapshot,
)
from streamkit.errors import APIError, TruncatedStream
from streamkit.protocols import get_protocol
from streamkit.testing.answers import Answer, Call, Text, Thinking
from streamkit.testing.mutations import corrupt_frame, fail, split_frames
from streamkit.testing.outcome import Outcome, numbered_ids, read_pieces
from streamkit.testing.scripts import RENDERED, SCRIPTED, framing_of, render, render_error
from streamkit.testing.strategies import answers

# What ends an answer, on the wire of each dialect.
ENDS = {
    "openai-chat": re.compile(rb'"finish_reason":"'),
    "openai-responses": re.compile(rb'"type":"response.(completed|incomplete)"'),
    "anthropic": re.compile(rb'"stop_reason":"'),
    "gemini": re.compile(rb'"finishReason":"'),
    "gemini-interactions": re.compile(rb'"event_type":"interaction.completed"'),
    "ollama": re.compile(rb'"done":true'),
    "cohere": re.compile(rb'"finish_reason":"'),
    "bedrock-converse": re.compile(rb'"stopReason":"'),
    "dashscope": re.compile(rb'"finish_reason":"(?!null")'),
    "sglang": re.compile(rb'"finish_reason":{'),
    "llamacpp": re.compile(rb'"stop":true'),
    "tgi": re.compile(rb'"generated_text":"'),
    "fastchat": re.compile(rb'"finish_reason":"'),
    "gradio": re.compile(rb'"msg":"process_completed"'),
    "openai-completions": re.compile(rb'"finish_reason":"'),
}
# Those without an end of their own, in which more may follow a finish reason.
ENDS_WITH_THE_INPUT = {"gemini", "dashscope"}
BINARY = "aws-eventstream"  # the framing in which a frame says its own length
# What begins a call there, where a name alone does not say so.
CALLS = {"openai-responses": re.compile(rb'"response.output_item.added".*"name":')}
OPENING = (TextStart, ThinkingStart, RefusalStart, ToolCallStart)
OF_NO_BLOCK = (Logprobs, UsageSnapshot, UnknownFrame, RawFrame)


def read(pieces: Iterable[bytes], protocol: str, **options: Any) -> Outcome:
    return read_pieces(pieces, get_protocol(protocol).parser(mint=numbered_ids(), **options))


def assert_well_formed(outcome: Outcome) -> None:
    """Each message starts once and ends at most once; blocks are numbered without gaps and opened before they grow."""
    blocks: dict[int, list[bool]] = {}  # of each choice, whether each block is still open
    ended: set[int] = set()
    for delta in outcome.deltas:
        if isinstance(delta, OF_NO_BLOCK):
            continue
        if isinstance(delta, Retract):
            blocks.clear()
            assert not ended
            continue
        assert delta.choice not in ended, f"{delta} comes after the end of its choice"
        if isinstance(delta, MessageStart):
            assert delta.choice not in blocks, "a choice starts twice"
            blocks[delta.choice] = []
            continue
        opened = blocks[delta.choice]
        if isinstance(delta, MessageEnd):
            assert not any(opened), "a message ends with open blocks"
            ended.add(delta.choice)
        elif isinstance(delta, (*OPENING, BlockAdded)):
            assert delta.index == len(opened)
            opened.append(not isinstance(delta, BlockAdded))
        elif isinstance(delta, AudioDelta):
            opened += [False] * (delta.index == len(opened))
        elif type(delta).__name__.endswith("End"):
            assert opened[delta.index], f"{delta} ends what is not open"
            opened[delta.index] = False
        else:
            assert delta.index < len(opened), f"{delta} is of a block that never started"
    if outcome.error is None:
        assert ended == set(blocks), "a whole stream leaves a choice without its end"


def assert_only_finished_calls_may_run(outcome: Outcome) -> None:
    retracted = max((at for at, delta in enumerate(outcome.deltas) if isinstance(delta, Retract)), default=-1)
    deltas = outcome.deltas[retracted + 1 :]
    ended = {(delta.choice, delta.index) for delta in deltas if isinstance(delta, ToolCallEnd)}
    started = [delta for delta in deltas if isinstance(delta, ToolCallStart)]
    for choice, output in enumerate(outcome.outputs):
        finished = [(choice, delta.index) in ended for delta in started if delta.choice == choice]
        for call, whole in zip(output.message.tool_calls or [], finished, strict=True):
            if not whole:
                assert call.error is not None
                assert call.function.arguments == {}


def assert_begins(early: Outcome, late: Outcome) -> None:
    """What was shown of a cut stream is the beginning of what the whole one says."""
    for one, other in zip(early.outputs, late.outputs, strict=False):
        assert other.message.text.startswith(one.message.text)
        assert (other.message.thinking or "").startswith(one.message.thinking or "")
        for call, whole in zip(one.message.tool_calls or [], other.message.tool_calls or [], strict=False):
            assert (call.id, call.function.name) == (whole.id, whole.function.name)
            assert call.error is not None or call.function.arguments == whole.function.arguments


def finishes(answer: Answer, frames: list[bytes], protocol: str) -> int:
    """How many frames it takes until each choice has its finish reason."""
    places = [at for at, frame in enumerate(frames) if ENDS[protocol].search(frame)]
    return places[len(answer.choices)] + 1


def stripped(body: bytes, protocol: str) -> bytes:
    """The body without the line ends after it, which binary messages do not have."""
    return body if framing_of(protocol) == BINARY else body.rstrip(b"\r\n\0")


@pytest.mark.feature("D: pi#8496")
@pytest.mark.parametrize("protocol", ENDS)
@given(data=st.data())
def test_a_stream_cut_anywhere_is_truncated_unless_the_answer_had_ended(protocol: str, data: st.DataObject) -> None:
    answer = data.draw(answers(protocol))
    body = render(answer, protocol, piece=data.draw(st.integers(1, 8)), interleave=data.draw(st.booleans()))
    whole = read([body], protocol)
    assert_well_formed(whole)
    frames = split_frames(body, framing_of(protocol))
    enough = len(stripped(b"".join(frames[: finishes(answer, frames, protocol)]), protocol))  # its end may be missing
    for at in {data.draw(st.integers(0, len(body))), data.draw(st.integers(0, enough - 1)), enough, len(body) - 1}:
        cut = read([body[:at]], protocol)
        assert (cut.error or {}).get("kind") == (None if at >= enough else "TruncatedStream")
        assert_well_formed(cut)
        assert_begins(cut, whole)
        assert_only_finished_calls_may_run(cut)


@pytest.mark.parametrize("protocol", [protocol for protocol in RENDERED if protocol not in ENDS])
@given(data=st.data())
def test_where_nothing_ends_an_answer_a_stream_is_truncated_inside_a_record(protocol: str, data: st.DataObject) -> None:
    body = render(data.draw(answers(protocol)), protocol, piece=3)
    frames = split_frames(body, framing_of(protocol))
    bounds = [bound for end in accumulate(map(len, frames)) for bound in (end - 1, end)]  # its own end may be missing
    at = data.draw(st.sampled_from(bounds) | st.integers(len(frames[0]), len(body)))
    cut = read([body[:at]], protocol)
    assert (cut.error or {}).get("kind") == (None if at in bounds else "TruncatedStream")
    assert_well_formed(cut)
    assert_begins(cut, read([body], protocol))


@pytest.mark.parametrize("protocol", RENDERED)
@given(data=st.data())
def test_an_error_inside_a_stream_ends_it_with_what_came_before(protocol: str, data: st.DataObject) -> None:
    answer = data.draw(answers(protocol))
    body = render(answer, protocol, piece=3)
    whole, frames = read([body], protocol), split_frames(body, framing_of(protocol))
    at = data.draw(st.integers(0, len([frame for frame in frames if b"[DONE]" not in frame]) - 1))
    outcome = read([fail(body, at, render_error(protocol), framing_of(protocol))], protocol)
    assert outcome.error is not None
    assert outcome.error["status"] == 200
    assert outcome.error["message"] == "Overloaded"
    assert outcome.error["retryable"]
    assert not any(isinstance(delta, MessageEnd) for delta in outcome.deltas)
    assert_well_formed(outcome)
    assert_begins(outcome, whole)
    assert_only_finished_calls_may_run(outcome)
    cut = read(frames[:at], protocol)
    if cut.error and not answer.choices:  # of several choices, those that were finished may be whole where it was cut
        assert [output.message for output in outcome.outputs] == [output.message for output in cut.outputs]


@pytest.mark.parametrize("protocol", RENDERED)
@given(data=st.data())
def test_a_broken_frame_ends_the_stream_with_what_came_before(protocol: str, data: st.DataObject) -> None:
    body = render(data.draw(answers(protocol)), protocol, piece=3)
    whole, frames = read([body], protocol), split_frames(body, framing_of(protocol))
    at = data.draw(st.integers(0, len([frame for frame in frames if b"[DONE]" not in frame]) - 1))
    outcome = read([corrupt_frame(body, at, framing_of(protocol))], protocol)
    assert outcome.error is not None
    assert outcome.error["kind"] == "ProtocolError"
    assert outcome.error["frame"]
    assert outcome.error["frame"] in frames[at]
    assert_well_formed(outcome)
    assert_begins(outcome, whole)
    assert_only_finished_calls_may_run(outcome)


@pytest.mark.parametrize("protocol", RENDERED)
@given(data=st.data())
def test_whatever_comes_it_is_deltas_or_a_typed_error(protocol: str, data: st.DataObject) -> None:
    body = bytearray(render(data.draw(answers(protocol)), protocol, piece=4))
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(body)))
        body[at : at + data.draw(st.integers(0, 30))] = data.draw(st.binary(max_size=3) | st.sampled_from(NASTY))
    outcome = read([bytes(body)], protocol)
    assert_well_formed(outcome)
    assert_only_finished_calls_may_run(outcome)


NASTY = [
    b"null",
    b"[]",
    b"{}",
    b'"',
    b"-1",
    b"1e999",
    b"NaN",
    b'"\\ud83d"',
    b"\n\n",
    b"\n\ndata: null\n\n",
    b"\n\ndata: []\n\n",
    b'\n\ndata: {"choices":null}\n\n',
    b'\n\ndata: {"choices":[null]}\n\n',
    b'\n\ndata: {"choices":[{"index":7,"delta":{"content":"x"}}]}\n\n',
    b'\n\ndata: {"choices":[{"delta":{"tool_calls":[{"index":9,"function":{"arguments":"x"}}]}}]}\n\n',
    b'\n\ndata: {"type":"content_block_delta","index":9,"delta":{"type":"text_delta","text":"x"}}\n\n',
    b'\n\ndata: {"type":"content_block_stop","index":9}\n\n',
    b'\n\ndata: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":"x"}}\n\n',
    b'\n\ndata: {"type":"message_start","message":{"id":"other"}}\n\n',
    b'\n\ndata: {"type":"message_stop"}\n\n',
]


def test_an_error_is_raised_once_more_by_every_later_call() -> None:
    parser = get_protocol("anthropic").parser()
    body = render(Answer(["Hi"]), "anthropic")
    parser.feed(fail(body, 3, render_error("anthropic")))
    assert parser.ended
    for call in (lambda: parser.feed(b""), lambda: parser.feed(body), parser.finish, parser.finish):
        with pytest.raises(APIError, match="Overloaded"):
            call()


@pytest.mark.parametrize("protocol", SCRIPTED)
def test_what_follows_the_end_is_not_read(protocol: str) -> None:
    body = render(Answer(["Hi"]), protocol)
    parser = get_protocol(protocol).parser()
    assert parser.feed(body)
    assert parser.ended or (protocol in ENDS_WITH_THE_INPUT and parser.finish())
    assert parser.feed(body) == parser.feed(b"\xff garbage") == parser.finish() == []


@pytest.mark.parametrize("protocol", SCRIPTED)
@pytest.mark.parametrize("body", [b"", b": ping\n\n", b"\n\n"], ids=["nothing", "a heartbeat", "blank lines"])
def test_a_stream_that_says_nothing_is_truncated(protocol: str, body: bytes) -> None:
    body = body if framing_of(protocol) == "sse" else body.removeprefix(b": ping")
    with pytest.raises(TruncatedStream):
        _ = (parser := get_protocol(protocol).parser()).feed(body) + parser.finish()


@pytest.mark.feature("first-2")
@pytest.mark.parametrize("protocol", [protocol for protocol in RENDERED if framing_of(protocol) != BINARY])
@given(data=st.data())
def test_a_last_frame_without_its_blank_line_still_counts(protocol: str, data: st.DataObject) -> None:
    frames = split_frames(render(data.draw(answers(protocol)), protocol, piece=3), framing_of(protocol))
    body = b"".join(frames[: data.draw(st.integers(1, len(frames)))])
    assert read([body[:-1]], protocol) == read([body.rstrip()], protocol) == read([body], protocol)


SPOKEN = Answer([Thinking("Hm. "), Text("It is "), Call("f", {"a": 1}), Call("g", {"b": 2})])


@pytest.mark.parametrize("protocol", SCRIPTED)
def test_each_frame_that_is_missing_at_the_end_leaves_what_the_others_said(protocol: str) -> None:
    frames = split_frames(render(SPOKEN, protocol, piece=1), framing_of(protocol))
    accumulator, parser = Accumulator(), get_protocol(protocol).parser()
    for at, frame in enumerate(frames):
        cut = read(frames[:at], protocol)
        shown, kept = accumulator.snapshot().message, cut.outputs[0].message
        assert (kept.text, kept.thinking) == (shown.text, shown.thinking)
        begins = CALLS.get(protocol, re.compile(b'"name":'))
        begun = sum(bool(begins.search(each)) for each in frames[:at])
        assert len(kept.tool_calls or []) == begun  # what was held back is given out
        fed: list[Delta] = parser.feed(frame)
        for delta in fed:
            accumulator.feed(delta)


POINTS = 5  # how many times each recording is cut between frames, and as many times anywhere


def test_a_recording_cut_short_is_truncated_and_shows_what_came(recording: Any) -> None:
    body, random = recording.body, Random(recording.path.stem)
    whole = read([body], recording.protocol, **recording.options)
    assert_well_formed(whole)
    frames = split_frames(body, recording.framing)
    bounds = list(accumulate((len(frame) for frame in frames), initial=0))
    points = {*random.choices(bounds, k=POINTS), *bounds[-2:-1], *random.choices(range(len(body) + 1), k=POINTS)}
    revised = any(isinstance(delta, (Retract, Replace)) for delta in whole.deltas)
    parser = get_protocol(recording.protocol).parser(mint=numbered_ids(), **recording.options)
    shown, fed = Accumulator(), 0
    for point in sorted(points):
        while fed < len(frames) and bounds[fed + 1] <= point:
            if not parser.ended:
                fold(parser.feed(frames[fed]), shown)
            fed += 1
        cut = read([body[:point]], recording.protocol, **recording.options)
        assert_well_formed(cut)
        assert_only_finished_calls_may_run(cut)
        message, before = cut.outputs[0].message, shown.snapshot().message
        assert message.text.startswith(before.text)
        assert (message.thinking or "").startswith(before.thinking or "")
        assert len(message.tool_calls or []) >= len(before.tool_calls or [])
        if cut.error is not None:
            assert cut.error["kind"] == "TruncatedStream" or cut.error == whole.error
        elif whole.error is None and recording.protocol not in ENDS_WITH_THE_INPUT:
            assert ends(cut) == ends(whole)
        else:  # the end had been said, and something else came after it
            assert not any(synthesized for _, _, synthesized in ends(cut))
        if not revised:
            assert_begins(cut, whole)


def fold(deltas: list[Delta], accumulator: Accumulator) -> None:
    for delta in deltas:
        accumulator.feed(delta)


def ends(outcome: Outcome) -> list[tuple[str, str | None, bool]]:
    """Why each choice ended; a reason in words may follow the end."""
    finishes = [output.finish_reason for output in outcome.outputs if output.finish_reason]
    return [(finish.type, finish.raw, finish.synthesized) for finish in finishes]
