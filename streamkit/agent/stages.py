"""In which order the calls of one message run: which waits for which, and which cannot run at all."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from heapq import heappop, heappush

from msgspec import Struct

from streamkit.parts import FunctionPart
from streamkit.tools import Tool, ToolMode

__all__ = ["Step", "plan"]


class Step(Struct, frozen=True):
    """One call: the numbers of those that it waits for, of those without whose success it is not run, or its fault."""

    after: tuple[int, ...] = ()
    needs: tuple[int, ...] = ()
    fault: str | None = None


def plan(calls: Sequence[FunctionPart], tools: Mapping[str, Tool], mode: ToolMode) -> list[Step]:
    """Return the step of each call.

    A call waits for those that its `depends_on` names by id, and for those of the tools that its tool's `depends_on`
    names. Where one of the calls is sequential, each waits for the one before it too, in the order of the calls as far
    as their dependencies let. So do calls of one id, whatever they are: nothing else tells them apart while they run. A
    call is sequential where its tool or its hint says so, parallel where one of them says that, else what the agent's
    `mode` is.
    """
    called = [tools.get(call.function.name) for call in calls]
    sequential = any(_mode(call, tool, mode) == "sequential" for call, tool in zip(calls, called, strict=True))
    depends = any(call.depends_on or (tool and tool.depends_on) for call, tool in zip(calls, called, strict=True))
    if not sequential and not depends and len({call.id for call in calls}) == len(calls):
        return [Step()] * len(calls)
    needs, faults = _dependencies(calls, called)
    order = list(_ordered(needs))
    for position in set(range(len(calls))).difference(order):
        faults.setdefault(
            position, "The call was not run: it depends on itself, or on calls that depend on each other."
        )
    before: dict[int, int] = {}
    newest: dict[str, int] = {}
    for position in order:
        lane = "" if sequential else calls[position].id
        if lane in newest:
            before[position] = newest[lane]
        newest[lane] = position
    steps = []
    for position, needed in enumerate(needs):
        fault = faults.get(position)
        others = () if fault is not None else tuple(sorted(needed))
        after = {*others, before[position]} if position in before else others
        steps.append(Step(tuple(sorted(after)), others, fault))
    return steps


def _mode(call: FunctionPart, tool: Tool | None, mode: ToolMode) -> ToolMode:
    said = (None if tool is None else tool.mode, call.execution_hint)
    if "sequential" in said:
        return "sequential"
    return "parallel" if "parallel" in said else mode


def _dependencies(
    calls: Sequence[FunctionPart], called: Sequence[Tool | None]
) -> tuple[list[set[int]], dict[int, str]]:
    """What each call needs, and the faults of those that need what is not there."""
    by_id: dict[str, list[int]] = {}
    by_name: dict[str, list[int]] = {}
    for position, call in enumerate(calls):
        by_id.setdefault(call.id, []).append(position)
        by_name.setdefault(call.function.name, []).append(position)
    faults: dict[int, str] = {}
    needs: list[set[int]] = []
    for position, (call, tool) in enumerate(zip(calls, called, strict=True)):
        unknown = [repr(id) for id in call.depends_on if id not in by_id]
        if unknown:
            faults[position] = f"The call was not run: it depends on {', '.join(unknown)}, no call of the same message."
        ids = [other for id in call.depends_on for other in by_id.get(id, ())]
        names = [other for name in (tool.depends_on if tool else ()) for other in by_name.get(name, ())]
        needs.append({*ids, *names})
    return needs, faults


def _ordered(needs: Sequence[set[int]]) -> Iterator[int]:
    """The numbers, each after those that it needs, the lowest first; those in a circle, or behind one, are left out."""
    open_needs = [len(needed) for needed in needs]
    needed_by: dict[int, list[int]] = {}
    for position, needed in enumerate(needs):
        for other in needed:
            needed_by.setdefault(other, []).append(position)
    ready = [position for position, count in enumerate(open_needs) if not count]
    while ready:
        position = heappop(ready)
        yield position
        for other in needed_by.get(position, ()):
            open_needs[other] -= 1
            if not open_needs[other]:
                heappush(ready, other)
