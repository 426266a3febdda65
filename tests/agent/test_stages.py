"""In which order the calls of one message run."""

from __future__ import annotations

import time
from typing import Any

import pytest

from streamkit.agent.stages import Step, plan
from streamkit.parts import FunctionCall, FunctionPart
from streamkit.tools import Tool


async def nothing() -> None: ...


TOOLS = {
    "plain": Tool(nothing, name="plain"),
    "alone": Tool(nothing, name="alone", mode="sequential"),
    "beside": Tool(nothing, name="beside", mode="parallel"),
    "report": Tool(nothing, name="report", depends_on=["plain", "beside", "never-called"]),
}


def call(id: str, name: str = "plain", *depends_on: str, hint: Any = None) -> FunctionPart:
    return FunctionPart(id, FunctionCall(name), depends_on=depends_on, execution_hint=hint)


def after(*positions: int) -> Step:
    return Step(positions, positions)


def behind(position: int) -> Step:
    """Waits for another, whatever becomes of it."""
    return Step((position,))


FREE = Step()

CASES: list[tuple[str, list[FunctionPart], str, list[Step]]] = [
    ("none", [], "parallel", []),
    ("all at once", [call("a"), call("b", "beside"), call("c", "unknown")], "parallel", [FREE, FREE, FREE]),
    ("the agent's mode", [call("a"), call("b"), call("c")], "sequential", [FREE, behind(0), behind(1)]),
    ("one sequential tool", [call("a"), call("b", "alone"), call("c")], "parallel", [FREE, behind(0), behind(1)]),
    ("a sequential hint", [call("a"), call("b", hint="sequential")], "parallel", [FREE, behind(0)]),
    ("parallel tools of a sequential agent", [call("a", "beside"), call("b", "beside")], "sequential", [FREE, FREE]),
    ("one of them with another", [call("a", "beside"), call("b")], "sequential", [FREE, behind(0)]),
    ("a parallel hint", [call("a", hint="parallel"), call("b", "beside")], "sequential", [FREE, FREE]),
    ("a tool against a hint", [call("a", "alone", hint="parallel"), call("b")], "parallel", [FREE, behind(0)]),
    ("ids", [call("a", "plain", "c"), call("b"), call("c", "plain", "b")], "parallel", [after(2), FREE, after(1)]),
    ("names of tools", [call("a", "report"), call("b"), call("c")], "parallel",
     [after(1, 2), FREE, FREE]),
    ("both", [call("a", "report", "b"), call("b", "unknown"), call("c")], "parallel", [after(1, 2), FREE, FREE]),
    ("the same id twice", [call("a"), call("b"), call("a")], "parallel", [FREE, FREE, behind(0)]),
    ("the same id twice, and needed", [call("a"), call("a"), call("b", "plain", "a")], "parallel",
     [FREE, behind(0), after(0, 1)]),
    ("the same id twice, the needed first", [call("a", "plain", "b"), call("b"), call("a")], "parallel",
     [after(1), FREE, behind(0)]),
    ("one after another, the needed first", [call("a", "plain", "c"), call("b"), call("c")], "sequential",
     [Step((2,), (2,)), FREE, behind(1)]),
    ("one after another, in a chain", [call("a", "plain", "b"), call("b", "plain", "c"), call("c"), call("d")],
     "sequential", [after(1), after(2), FREE, behind(0)]),
]  # fmt: skip


@pytest.mark.parametrize(("calls", "mode", "steps"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_calls_wait_for(calls: list[FunctionPart], mode: Any, steps: list[Step]) -> None:
    assert plan(calls, TOOLS, mode) == steps


CIRCLE = "The call was not run: it depends on itself, or on calls that depend on each other."
UNKNOWN = "The call was not run: it depends on 'x', 'y', no call of the same message."

FAULTY: list[tuple[str, list[FunctionPart], list[str | None]]] = [
    ("itself", [call("a", "plain", "a"), call("b")], [CIRCLE, None]),
    ("each other", [call("a", "plain", "b"), call("b", "plain", "a"), call("c")], [CIRCLE, CIRCLE, None]),
    ("behind a circle", [call("a", "plain", "a"), call("b", "plain", "a")], [CIRCLE, CIRCLE]),
    ("by a tool's names", [call("a", "report"), call("b", "plain", "a")], [CIRCLE, CIRCLE]),
    ("nobody", [call("a", "plain", "x", "b", "y"), call("b")], [UNKNOWN, None]),
]


@pytest.mark.parametrize("mode", ["parallel", "sequential"])
@pytest.mark.parametrize(("calls", "faults"), [case[1:] for case in FAULTY], ids=[case[0] for case in FAULTY])
def test_what_can_never_run_is_a_fault_and_waits_for_nothing_of_that(
    calls: list[FunctionPart], faults: list[str | None], mode: Any
) -> None:
    steps = plan(calls, TOOLS, mode)
    assert [step.fault for step in steps] == faults
    assert all(step.needs == () for step in steps if step.fault)


def test_every_order_can_be_run_to_its_end() -> None:
    """Where each waits for ten others, in the least handy order, and one after another beside that."""
    size = 300
    calls = [call(str(n), "plain", *(str(n + more) for more in range(1, 11) if n + more < size)) for n in range(size)]
    steps = plan(calls, TOOLS, "sequential")
    done: set[int] = set()
    for _ in calls:
        ready = [n for n, step in enumerate(steps) if n not in done and done.issuperset(step.after)]
        assert len(ready) == 1, "one at a time"
        done.update(ready)
    assert len(done) == size


def test_a_plan_of_many_calls_is_linear() -> None:
    def cost(size: int) -> float:
        calls = [call(str(n), "plain", *([str(n - 1)] if n else [])) for n in range(size)]
        best = float("inf")
        for _ in range(5):
            started = time.process_time()
            plan(calls, TOOLS, "sequential")
            best = min(best, time.process_time() - started)
        return best / size

    assert cost(20_000) < 4 * cost(2_000)
