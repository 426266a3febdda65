"""Token counts and costs."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from streamkit.accumulator import accumulate
from streamkit.protocols import get_protocol
from streamkit.testing import Answer, render
from streamkit.testing.scripts import RENDERED
from streamkit.usage import Usage, UsageCost

COUNTS = st.none() | st.integers(0, 10**9)
COSTS = st.none() | st.builds(UsageCost, *[st.none() | st.integers(0, 1000).map(float)] * 5)
USAGES = st.builds(Usage, COUNTS, COUNTS, COUNTS, COUNTS, COUNTS, cost=COSTS)

TOTALS: list[tuple[str, Usage, int | None]] = [
    ("nothing reported", Usage(), None),
    ("input and output", Usage(10, 5), 15),
    ("cache reads and writes count", Usage(10, 5, 100, 20), 135),
    ("reasoning is within the output", Usage(10, 5, reasoning_tokens=4), 15),
    ("output alone", Usage(output_tokens=5), 5),
    ("zero is a count", Usage(0, 0), 0),
    ("a total that is given stays", Usage(10, 5, total_tokens=20), 20),
    ("a total alone", Usage(total_tokens=20), 20),
    ("reasoning alone makes no total", Usage(reasoning_tokens=4), None),
]


@pytest.mark.parametrize(("usage", "total"), [case[1:] for case in TOTALS], ids=[case[0] for case in TOTALS])
def test_the_total_is_worked_out_where_it_is_not_given(usage: Usage, total: int | None) -> None:
    assert usage.total_tokens == total


MERGES: list[tuple[str, Usage, Usage, Usage]] = [
    ("the later count wins", Usage(10, 1), Usage(10, 7), Usage(10, 7)),
    ("what is not reported again stays", Usage(10, 1, 100), Usage(output_tokens=7), Usage(10, 7, 100)),
    ("zero is reported", Usage(10, 5), Usage(0, 0), Usage(0, 0)),
    ("a later total does not hide the counts", Usage(10, 5, total_tokens=15), Usage(output_tokens=9), Usage(10, 9)),
    (
        "the later cost wins",
        Usage(1, cost=UsageCost(1.0)),
        Usage(cost=UsageCost(total=2.0)),
        Usage(1, cost=UsageCost(total=2.0)),
    ),
    ("a cost stays", Usage(1, cost=UsageCost(1.0)), Usage(2), Usage(2, cost=UsageCost(1.0))),
    ("nothing changes nothing", Usage(10, 5, 1, 2, 3), Usage(), Usage(10, 5, 1, 2, 3)),
    ("a total alone stays", Usage(total_tokens=20), Usage(), Usage(total_tokens=20)),
    ("a total alone gives way to counts", Usage(total_tokens=20), Usage(1, 2), Usage(1, 2)),
    ("the later total alone wins", Usage(total_tokens=20), Usage(total_tokens=30), Usage(total_tokens=30)),
]


@pytest.mark.parametrize(("early", "late", "merged"), [case[1:] for case in MERGES], ids=[case[0] for case in MERGES])
def test_snapshots_of_one_response_merge(early: Usage, late: Usage, merged: Usage) -> None:
    assert early.merge(late) == merged


SUMS: list[tuple[str, Usage, Usage, Usage]] = [
    ("counts add up", Usage(1, 2, 3, 4, 1), Usage(10, 20, 30, 40, 10), Usage(11, 22, 33, 44, 11)),
    ("what is not reported stays so", Usage(1), Usage(output_tokens=2), Usage(1, 2)),
    (
        "costs add up by field",
        Usage(cost=UsageCost(1.0, 2.0)),
        Usage(cost=UsageCost(1.0, total=5.0)),
        Usage(cost=UsageCost(2.0, 2.0, total=5.0)),
    ),
    ("one cost stays", Usage(cost=UsageCost(1.0)), Usage(1), Usage(1, cost=UsageCost(1.0))),
    ("totals alone add up", Usage(total_tokens=20), Usage(total_tokens=30), Usage(total_tokens=50)),
    ("a total alone and counts add up", Usage(total_tokens=20), Usage(1, 2), Usage(1, 2, total_tokens=23)),
]


@pytest.mark.parametrize(("a", "b", "total"), [case[1:] for case in SUMS], ids=[case[0] for case in SUMS])
def test_responses_add_up(a: Usage, b: Usage, total: Usage) -> None:
    assert a + b == b + a == total


SAYS: list[tuple[str, Usage, bool]] = [
    ("nothing", Usage(), False),
    ("zeros", Usage(0, 0, 0, 0, 0, 0), False),
    ("a count", Usage(output_tokens=1), True),
    ("a total", Usage(total_tokens=1), True),
    ("reasoning", Usage(reasoning_tokens=1), True),
    ("a cost", Usage(cost=UsageCost()), True),
]


@pytest.mark.parametrize(("usage", "says"), [case[1:] for case in SAYS], ids=[case[0] for case in SAYS])
def test_an_object_of_zeros_says_nothing(usage: Usage, says: bool) -> None:
    assert bool(usage) is says


def test_absent_counts_are_left_out_of_the_json() -> None:
    usage = Usage(10, 0, cost=UsageCost(total=0.25))
    text = '{"input_tokens":10,"output_tokens":0,"total_tokens":10,"cost":{"total":0.25}}'
    assert msgspec.json.encode(usage).decode() == text
    assert msgspec.json.decode(text, type=Usage) == usage
    assert msgspec.json.encode(Usage()) == b"{}"


@given(USAGES, USAGES, USAGES)
def test_merging_and_adding_do_not_depend_on_the_grouping(a: Usage, b: Usage, c: Usage) -> None:
    assert a.merge(b).merge(c) == a.merge(b.merge(c))
    assert (a + b) + c == a + (b + c)
    assert a + b == b + a
    assert a.merge(a) == a
    assert a.merge(Usage()) == Usage().merge(a) == a + Usage() == a


@pytest.mark.parametrize("dialect", sorted(RENDERED))
def test_no_count_of_a_provider_is_below_none(dialect: str) -> None:
    parser = get_protocol(dialect).parser()
    body = render(Answer(["Hi."], usage=Usage(-5, -3, -2, -1, -1)), dialect)
    usage = accumulate(parser.feed(body) + parser.finish()).usage
    counts = msgspec.structs.astuple(usage or Usage())[:-1]
    assert all(count is None or count >= 0 for count in counts)


@pytest.mark.parametrize(
    ("usage", "prompt"),
    [
        (Usage(), 0),
        (Usage(3, 9), 3),
        (Usage(3, 9, 4, 5), 12),
        (Usage(cache_read_tokens=4), 4),
        (Usage(total_tokens=9), 0),
    ],
)
def test_a_prompt_is_as_long_as_its_parts(usage: Usage, prompt: int) -> None:
    assert usage.prompt_tokens == prompt
