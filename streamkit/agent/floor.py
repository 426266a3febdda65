"""Who may speak, where several agents do at once: the messages of a run come one after the other, piece by piece.

An agent and those that its tools ask say their messages at the same time. The events of a run have all of it as it
happens, each agent's in a `SubAgent` of its own. In its pieces and messages one agent at a time has the floor: what it
says comes at once, and what others say meanwhile follows when its message is complete. So pieces between two finish
reasons always are those of one message.
"""

from __future__ import annotations

from typing import Any, TypeAlias

from streamkit.accumulator import Accumulator
from streamkit.agent.transcript import Output
from streamkit.deltas import MessageDeltaOutput, MessageEnd
from streamkit.events import Failed, OutputDelta, OutputEnd, SubAgent, ToolEnd
from streamkit.messages import FinishReason, MessageOutput

__all__ = ["Floor"]

# The ids of the calls by which an agent was asked, outermost first; none for the agent itself.
Path: TypeAlias = tuple[str, ...]


class Floor:
    """Puts the pieces and messages of a run and of its sub-agents in an order in which none stands within another.

    A message of a sub-agent that is cut off, since its run failed or its call was answered without it, is ended here
    by the finish reason `error` or `aborted`.
    """

    def __init__(self) -> None:
        self._holder: Path | None = None
        self._kept: dict[Path, list[Output]] = {}  # by who came first
        self._open: dict[Path, tuple[Accumulator, MessageDeltaOutput]] = {}  # what sub-agents are saying

    def feed(self, item: Any) -> list[Output]:
        """Take whatever the run yields next; return the pieces and messages that come now."""
        path: Path = ()
        while isinstance(item, SubAgent):
            path, item = (*path, item.id), item.event
        if isinstance(item, ToolEnd):
            call = (*path, item.id)
            cut = [other for other in self._open if other[: len(call)] == call]
            return [said for other in cut for said in self._cut_off(other, FinishReason("aborted"))]
        if isinstance(item, Failed):
            return self._cut_off(path, FinishReason("error", reason=item.message))
        if isinstance(item, (OutputDelta, OutputEnd)):
            item = item.output
        if not isinstance(item, (MessageDeltaOutput, MessageOutput)):
            return []
        if path:
            self._follow(path, item)
        return self._say(path, item)

    def _follow(self, path: Path, item: Output) -> None:
        if isinstance(item, MessageOutput):
            self._open.pop(path, None)
            return
        accumulator, _ = self._open.get(path) or (Accumulator(), item)
        accumulator.feed(item.delta)
        self._open[path] = (accumulator, item)

    def _cut_off(self, path: Path, reason: FinishReason) -> list[Output]:
        if path not in self._open:
            return []
        accumulator, last = self._open.pop(path)
        end = MessageEnd(reason)
        accumulator.feed(end)
        output = accumulator.finish()
        output.depth, output.source_agent = last.depth, last.source_agent
        ended = MessageDeltaOutput(end, reason, output.usage, last.depth, last.source_agent)
        return [*self._say(path, ended), *self._say(path, output)]

    def _say(self, path: Path, item: Output) -> list[Output]:
        if self._holder not in (None, path):
            self._kept.setdefault(path, []).append(item)
            return []
        self._holder = None if isinstance(item, MessageOutput) else path
        return [item, *self._next()]

    def _next(self) -> list[Output]:
        """What was kept of those who have the floor in turn, now that it is free."""
        said: list[Output] = []
        while self._holder is None and self._kept:
            path = next(iter(self._kept))
            kept = self._kept.pop(path)
            whole = next((at for at, item in enumerate(kept, 1) if isinstance(item, MessageOutput)), len(kept))
            said += kept[:whole]
            if kept[whole:]:
                self._kept[path] = kept[whole:]
            self._holder = None if isinstance(said[-1], MessageOutput) else path
        return said
