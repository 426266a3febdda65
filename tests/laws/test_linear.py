"""The linear law: the time an event takes does not grow with what came before."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable
from typing import TypeAlias

import pytest

from streamkit.accumulator import Accumulator
from streamkit.deltas import ToolCallDelta
from streamkit.protocols import get_protocol
from streamkit.testing.answers import Answer, Call, Text, Thinking
from streamkit.testing.mutations import split_frames
from streamkit.testing.scripts import SCRIPTED, framing_of, render

Cut: TypeAlias = Callable[[bytes, str], list[bytes]]

FEW, MANY = 1_000, 10_000
GROWTH = 1.25  # of the time an event, by ten times the events
READ = 65_536

SHAPES: list[tuple[str, Callable[[int], Answer], int]] = [
    ("text", lambda count: Answer([Text("word " * count)]), 5),
    ("thinking", lambda count: Answer([Thinking("word " * count)]), 5),
    ("arguments one character at a time", lambda count: Answer([Call("f", {"a": "x" * count})]), 1),
    ("many blocks", lambda count: Answer([Call("f", {"a": "x" * 10}) for _ in range(count // 7)]), 4),
]


def frame_by_frame(body: bytes, framing: str) -> list[bytes]:
    return split_frames(body, framing)


def in_large_reads(body: bytes, framing: str) -> list[bytes]:
    return [body[at : at + READ] for at in range(0, len(body), READ)]


def seconds_a_byte(answer: Answer, protocol: str, piece: int, cut: Cut, look: bool) -> float:
    body = render(answer, protocol, piece=piece)
    pieces, parser, accumulator = cut(body, framing_of(protocol)), get_protocol(protocol).parser(), Accumulator()
    feed = accumulator.feed
    began = time.thread_time()
    for data in pieces:
        for delta in parser.feed(data):
            feed(delta)
            if look and type(delta) is ToolCallDelta:
                accumulator.partial_arguments(delta.index)
    spent = time.thread_time() - began
    for delta in parser.finish():
        feed(delta)
    assert accumulator.finish().finish_reason is not None
    return spent / len(body)  # events are of one size, where a dialect sends them as they are written


def assert_linear(measure: Callable[[int], float]) -> None:
    growth = []
    gc.collect()
    gc.disable()
    try:
        for _ in range(5):
            growth.append(measure(MANY) / min(measure(FEW) for _ in range(3)))
            if growth[-1] <= GROWTH:
                return
    finally:
        gc.enable()
    pytest.fail(f"ten times the events take {min(growth):.2f} times as long an event")


@pytest.mark.feature("first-6", "D: pi#6665", "D: pi#7730")
@pytest.mark.parametrize("cut", [frame_by_frame, in_large_reads], ids=lambda cut: cut.__name__)
@pytest.mark.parametrize(("shape", "piece"), [case[1:] for case in SHAPES], ids=[case[0] for case in SHAPES])
@pytest.mark.parametrize("protocol", SCRIPTED)
def test_ten_times_the_events_take_ten_times_as_long(
    protocol: str, shape: Callable[[int], Answer], piece: int, cut: Cut
) -> None:
    assert_linear(lambda count: seconds_a_byte(shape(count), protocol, piece, cut, look=False))


@pytest.mark.feature("D: pi#9062", "D: oh-my-pi#3946")
@pytest.mark.parametrize("protocol", SCRIPTED)
def test_looking_at_arguments_after_each_event_does_not_grow_dearer(protocol: str) -> None:
    def measure(count: int) -> float:
        answer = Answer([Call("f", {"a": "x" * count, "b": [1] * (count // 10)})])
        return seconds_a_byte(answer, protocol, 1, frame_by_frame, look=True)

    assert_linear(measure)
