"""The merge law: coalescing changes no message, whatever was grouped, and the grouping does not matter."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streamkit.accumulator import Accumulator, accumulate, coalesce
from streamkit.deltas import Delta, RefusalDelta, TextDelta, ThinkingDelta, ToolCallDelta
from streamkit.messages import MessageOutput
from streamkit.protocols import get_protocol
from streamkit.testing.scripts import RENDERED, render
from streamkit.testing.strategies import answers, delta_streams


def outputs(deltas: Iterable[Delta]) -> list[MessageOutput]:
    accumulator = Accumulator()
    for delta in deltas:
        accumulator.feed(delta)
    return accumulator.outputs()


def grouped(deltas: list[Delta], places: list[int]) -> list[list[Delta]]:
    bounds = [0, *sorted(place % (len(deltas) + 1) for place in places), len(deltas)]
    return [deltas[a:b] for a, b in zip(bounds, bounds[1:], strict=False)]


def assert_merging_changes_nothing(deltas: list[Delta], places: list[int]) -> None:
    merged = coalesce(deltas)
    assert outputs(merged) == outputs(deltas)
    assert accumulate(merged) == accumulate(deltas)
    assert coalesce(merged) == merged
    groups = grouped(deltas, places)
    regrouped = [delta for group in groups for delta in coalesce(group)]
    assert coalesce(regrouped) == merged
    assert len(merged) <= len(regrouped) <= len(deltas)
    one_by_one, by_group = Accumulator(), Accumulator()
    for group in groups:  # whoever looks between two groups sees the same
        for delta in group:
            one_by_one.feed(delta)
        for delta in coalesce(group):
            by_group.feed(delta)
        assert by_group.snapshot() == one_by_one.snapshot()


PLACES = st.lists(st.integers(0, 1000), max_size=5)


@pytest.mark.feature("0.26")
@given(delta_streams(), PLACES)
def test_merging_any_groups_of_deltas_changes_no_message(deltas: list[Delta], places: list[int]) -> None:
    assert_merging_changes_nothing(deltas, places)


@given(delta_streams())
def test_no_two_neighbours_are_left_that_could_be_one(deltas: list[Delta]) -> None:
    fragments = (TextDelta, ThinkingDelta, RefusalDelta, ToolCallDelta)
    for one, next_one in pairwise(coalesce(deltas)):
        if isinstance(one, fragments) and type(one) is type(next_one):
            assert (one.index, one.choice) != (next_one.index, next_one.choice)


@given(delta_streams())
def test_merging_leaves_the_deltas_that_it_was_given(deltas: list[Delta]) -> None:
    before = repr(deltas)
    coalesce(deltas)
    assert repr(deltas) == before


@pytest.mark.parametrize("protocol", RENDERED)
@given(data=st.data())
def test_merging_changes_no_scripted_answer(protocol: str, data: st.DataObject) -> None:
    body = render(data.draw(answers(protocol)), protocol, piece=data.draw(st.integers(1, 4)), interleave=True)
    parser = get_protocol(protocol).parser()
    assert_merging_changes_nothing(parser.feed(body) + parser.finish(), data.draw(PLACES))
