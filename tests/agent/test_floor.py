"""The order in which several agents are heard."""

from __future__ import annotations

from typing import Any

import pytest

from streamkit.accumulator import accumulate
from streamkit.agent.floor import Floor
from streamkit.deltas import MessageDeltaOutput, MessageEnd, MessageStart, TextDelta, TextStart
from streamkit.events import Failed, OutputDelta, OutputEnd, SubAgent, ToolEnd
from streamkit.messages import FinishReason, Message, MessageOutput

STOP = FinishReason("stop")


def says(name: str, *words: str, whole: bool = True) -> list[Any]:
    """What an agent yields of one message."""
    deltas = [MessageStart(), TextStart(0), *(TextDelta(0, word) for word in words)]
    items: list[Any] = [OutputDelta(MessageDeltaOutput(delta, None, None, 1, name)) for delta in deltas]
    if whole:
        output = accumulate([*deltas, MessageEnd(STOP)])
        output.depth, output.source_agent = 1, name
        items += [OutputDelta(MessageDeltaOutput(MessageEnd(STOP), STOP, None, 1, name)), OutputEnd(output)]
    return items


def by(call: str, items: list[Any]) -> list[Any]:
    return [SubAgent(call, "ask", item) for item in items]


def mixed(*runs: list[Any]) -> list[Any]:
    """The items of several runs in turn."""
    longest = max(map(len, runs))
    return [run[at] for at in range(longest) for run in runs if at < len(run)]


def heard(items: list[Any]) -> list[str]:
    """Who says what, folded between two finish reasons as a consumer would; the messages must be the same."""
    floor, deltas, folded, outputs = Floor(), [], [], []
    for item in items:
        for said in floor.feed(item):
            if isinstance(said, MessageOutput):
                outputs.append((said.source_agent, said.message.text, said.finish_reason))
                continue
            deltas.append(said.delta)
            if said.finish_reason is not None:
                folded.append((said.source_agent, accumulate(deltas).message.text, said.finish_reason))
                deltas = []
    assert folded == outputs
    return [f"{name}: {text} ({reason.type})" for name, text, reason in outputs if reason]


CASES: list[tuple[str, list[Any], list[str]]] = [
    ("one alone", by("1", says("a", "x", "y")), ["a: xy (stop)"]),
    (
        "two at a time",
        mixed(by("1", says("a", "x", "y", "z")), by("2", says("b", "p"))),
        ["a: xyz (stop)", "b: p (stop)"],
    ),
    (
        "one says two messages meanwhile",
        mixed(by("1", says("a", *"123456789")), by("2", [*says("b", "p"), *says("b", "q")])),
        ["a: 123456789 (stop)", "b: p (stop)", "b: q (stop)"],
    ),
    (
        "one within another",
        mixed(by("1", says("a", "x", "y")), by("2", by("3", says("c", "p", "q")))),
        ["a: xy (stop)", "c: pq (stop)"],
    ),
    (
        "a run that fails in its message",
        [
            *by("1", says("a", "x", whole=False)),
            *by("1", [Failed("Overloaded", "no capacity")]),
            *by("2", says("b", "p")),
        ],
        ["a: x (error)", "b: p (stop)"],
    ),
    (
        "a call that is answered without its agent",
        [*by("1", says("a", "x", whole=False)), *by("2", says("b", "p")), ToolEnd("1", "ask", Message("tool"), True)],
        ["a: x (aborted)", "b: p (stop)"],
    ),
    (
        "all that a call had asked",
        [*by("1", by("2", says("a", "x", whole=False))), ToolEnd("1", "ask", Message("tool"), True)],
        ["a: x (aborted)"],
    ),
    (
        "a call within the call of another",
        [*by("1", by("2", says("a", "x", whole=False))), *by("1", [ToolEnd("2", "ask", Message("tool"), True)])],
        ["a: x (aborted)"],
    ),
]


@pytest.mark.parametrize(("items", "expected"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_no_message_stands_within_another(items: list[Any], expected: list[str]) -> None:
    assert heard(items) == expected


def test_who_has_the_floor_is_heard_at_once() -> None:
    floor = Floor()
    first, second = by("1", says("a", "x", "y")), by("2", says("b", "p"))
    assert [len(floor.feed(item)) for item in first[:3]] == [1, 1, 1]
    assert [len(floor.feed(item)) for item in second] == [0] * len(second)
    assert [len(floor.feed(item)) for item in first[3:-1]] == [1, 1]
    assert len(floor.feed(first[-1])) == 1 + len(second)


def test_what_the_agent_itself_says_waits_as_well() -> None:
    floor = Floor()
    open_message = by("1", says("a", "x", whole=False))
    for item in open_message:
        assert floor.feed(item)
    result = MessageOutput(Message("tool", ["3"]), STOP)
    assert floor.feed(MessageDeltaOutput(MessageStart("tool"), None, None)) == []
    assert floor.feed(result) == []
    said = floor.feed(ToolEnd("1", "ask", Message("tool")))
    assert said[-1] is result
