"""The snapshot law: what was looked at early is unchanged by what comes later, and looking changes nothing."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from streamkit.accumulator import Accumulator, accumulate
from streamkit.deltas import Delta, TextDelta, ToolCallDelta
from streamkit.messages import MessageOutput
from streamkit.protocols import get_protocol
from streamkit.testing.scripts import RENDERED, render
from streamkit.testing.strategies import answers, delta_streams

encode = msgspec.json.encode


def assert_looking_is_safe(deltas: list[Delta]) -> None:
    said = encode(deltas)
    accumulator = Accumulator()
    kept: list[tuple[list[MessageOutput], bytes]] = []
    for delta in deltas:
        accumulator.feed(delta)
        seen = [accumulator.snapshot(), *accumulator.outputs()]
        kept.append((seen, encode(seen)))
    assert all(encode(seen) == before for seen, before in kept)
    assert accumulator.finish() == accumulate(deltas)  # looking all the time changed nothing
    assert encode(deltas) == said  # and no delta was changed, as by growing a message that it points at


def deltas_of(data: st.DataObject, protocol: str) -> list[Delta]:
    body = render(data.draw(answers(protocol)), protocol, piece=data.draw(st.integers(1, 6)), interleave=True)
    parser = get_protocol(protocol).parser()
    return parser.feed(body) + parser.finish()


@pytest.mark.feature("first-7")
@pytest.mark.parametrize("protocol", RENDERED)
@given(data=st.data())
def test_a_snapshot_is_unchanged_by_later_deltas(protocol: str, data: st.DataObject) -> None:
    assert_looking_is_safe(deltas_of(data, protocol))


@pytest.mark.feature("first-7")
@given(delta_streams())
def test_a_snapshot_of_any_deltas_is_unchanged_by_later_ones(deltas: list[Delta]) -> None:
    assert_looking_is_safe(deltas)


@pytest.mark.parametrize("protocol", RENDERED)
@given(data=st.data())
def test_each_snapshot_begins_the_next(protocol: str, data: st.DataObject) -> None:
    accumulator = Accumulator()
    text = thinking = ""
    for delta in deltas_of(data, protocol):
        accumulator.feed(delta)
        message = accumulator.snapshot().message
        assert message.text.startswith(text)
        assert (message.thinking or "").startswith(thinking)
        if isinstance(delta, TextDelta) and delta.choice == 0:
            assert message.text == text + delta.text
        text, thinking = message.text, message.thinking or ""


def grown(early: Any, late: Any) -> bool:
    """Whether a live value may have become another: what is there stays, but for its last and open item."""
    if isinstance(early, str) and isinstance(late, str):
        return late.startswith(early)
    if isinstance(early, list) and isinstance(late, list):
        return len(early) <= len(late) and all(map(grown, early, late))
    if isinstance(early, dict) and isinstance(late, dict):
        return early.keys() <= late.keys() and all(grown(value, late[key]) for key, value in early.items())
    return repr(early) == repr(late)


@pytest.mark.parametrize("protocol", RENDERED)
@given(data=st.data())
def test_reading_arguments_while_they_come_changes_nothing_and_only_adds(protocol: str, data: st.DataObject) -> None:
    deltas = deltas_of(data, protocol)
    accumulator = Accumulator()
    before: dict[tuple[int, int], Any] = {}
    for delta in deltas:
        accumulator.feed(delta)
        if isinstance(delta, ToolCallDelta):
            call = delta.choice, delta.index
            seen = msgspec.json.decode(encode(accumulator.partial_arguments(delta.index, delta.choice)))
            assert before.get(call) is None or grown(before[call], seen)
            before[call] = seen
    assert accumulator.finish() == accumulate(deltas)
    calls = [call for output in accumulator.outputs() for call in output.message.tool_calls or []]
    whole = [call.function.arguments for call in calls if call.function.arguments]
    for arguments in whole:
        assert arguments in before.values()
