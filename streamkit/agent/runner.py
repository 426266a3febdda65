"""Runs the calls of one message, in parallel or one after another, in a task that the run owns."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import anyio
import anyio.lowlevel

from streamkit.agent.calling import Calling, Outcome, ToolRules
from streamkit.agent.channel import Channel
from streamkit.agent.results import as_json, is_error, result_message
from streamkit.agent.stages import Step, plan
from streamkit.client.observing import RunReport
from streamkit.events import ToolEnd, ToolStart, ToolUpdate
from streamkit.messages import Message
from streamkit.parts import FunctionPart
from streamkit.tools import Tool, ToolContext
from streamkit.transport.background import spawn, without_cancellations
from streamkit.usage import Usage

__all__ = ["ToolRunner"]

logger = logging.getLogger("streamkit")

# Reports of progress that may wait for the consumer; a tool that has more to report waits in turn.
QUEUE_SIZE = 64
# Plain functions that run at a time, as many as anyio lets. The count is of one message: threads that were left behind
# must not keep those of later ones waiting.
THREADS = 40
# How long the end of a run waits for tools to clean up after themselves, in s.
CLOSE_S = 1.0


class ToolRunner:
    """The calls of one message, each in a task of one task group, which stands in a task of its own.

    `start` starts them; `events` yields what happens, with the number of the call, until all are answered: for each
    call one `ToolStart` and one `ToolEnd`, in the order in which they end. `results` has the message that answers each
    call, in the order of the calls, None while there is none, and `usages` what each used; `terminates` says that one
    of them ends the run. `interrupt` answers what is left, `aclose` ends all. A call that cannot be run is answered by
    an error. What is no failure of a tool alone (`SystemExit`, say) ends all calls and is raised by `check`.
    """

    def __init__(
        self,
        tools: Mapping[str, Tool],
        calls: Sequence[FunctionPart],
        run: RunReport | None = None,
        *,
        rules: ToolRules | None = None,
        source_agent: str = "agent",
        depth: int = 0,
        messages: Callable[[], tuple[Message, ...]] = tuple,
        count: Callable[[Usage | None], None] | None = None,
    ) -> None:
        """`count` is told what the agents have used that a call asks."""
        names = {call.function.name for call in calls}
        # No other tools: one of them may hold whoever holds this.
        self._tools = {name: tool for name, tool in tools.items() if name in names}
        self._known = ", ".join(tools) or "none"
        self._calls = calls
        self._run_report = run
        self._rules = rules or ToolRules()
        self._source_agent, self._depth, self._messages, self._count = source_agent, depth, messages, count
        self.results: list[Message | None] = [None] * len(calls)
        self.usages: list[Usage | None] = [None] * len(calls)
        self.terminates = False
        self.events: Channel[tuple[int, Any]] = Channel(QUEUE_SIZE)
        self._open = len(calls)
        self._started = [False] * len(calls)
        self._answered: dict[int, anyio.Event] = {}  # of those that others wait for
        self._threads = anyio.CapacityLimiter(THREADS)
        self._scope = anyio.CancelScope()
        self._stopping = False  # beside the scope, which trio lets no thread ask
        self._over = False
        self._ended = anyio.Event()
        self._failure: BaseException | None = None

    def start(self) -> None:
        """Start the calls."""
        spawn(self._run)

    def interrupt(self, text: str) -> None:
        """Stop all that runs and answer each call that has no result by `text`, as an error; `events` ends with that.

        Never waits, and may be called by a tool. What does not end is left behind, and what it gives later is dropped.
        """
        for position in range(len(self._calls)):
            self._conclude(position, Outcome(result_message(self._calls[position], text, failed=True)))
        self._stop()

    def check(self) -> None:
        """Raise what ended all calls and is no result, if anything did."""
        if self._failure is not None:
            raise self._failure

    async def aclose(self) -> None:
        """Cancel what still runs and wait for its end, for `CLOSE_S` at most; a thread is not waited for."""
        self._stop()
        try:
            with anyio.move_on_after(CLOSE_S, shield=True) as waiting:
                await self._ended.wait()
            if waiting.cancelled_caught:
                logger.warning("tools do not end after they were cancelled: they are left behind")
        finally:
            self._over = True
            self.events.close()

    async def _run(self) -> None:
        try:
            with self._scope:
                steps = plan(self._calls, self._tools, self._rules.mode)
                self._answered = {other: anyio.Event() for step in steps for other in step.after}
                async with anyio.create_task_group() as tasks:
                    for position, step in enumerate(steps):
                        tasks.start_soon(self._answer, position, step, tasks)
                        await anyio.lowlevel.checkpoint()  # trio starts tasks in any order
        finally:
            self._stopping = True
            self._tools, self._rules = {}, ToolRules()  # of no more use, and they may hold whoever holds this
            self.events.close()
            self._ended.set()

    async def _answer(self, position: int, step: Step, tasks: anyio.abc.TaskGroup) -> None:
        for other in step.after:
            await self._answered[other].wait()
        if self._is_stopped(position):
            return
        self._begin(position)
        call, run = self._calls[position], self._run_report
        report = None if run is None else run.tool(call, self._tools.get(call.function.name))
        calling = Calling(
            call,
            self._tools.get(call.function.name),
            self._rules,
            self._context(position),
            known=self._known,
            threads=self._threads,
            report=report,
            stopped=lambda: self._is_stopped(position),
            began=lambda: tasks.start_soon(calling.watch, lambda outcome: self._conclude(position, outcome)),
        )
        try:
            outcome = await calling.outcome(self._fault(step))
            if report is not None:
                report.ended(outcome.message)
            if not self._conclude(position, outcome):
                logger.warning(
                    "the tool %s ended after its call was answered: its result is dropped", call.function.name
                )
        except BaseException as error:  # an error let out of this task would end all of trio
            failure = without_cancellations(error)
            if failure is None:
                raise
            if failure is not error and isinstance(failure, Exception):
                logger.debug("the tool %s failed when it was cancelled", call.function.name, exc_info=failure)
                return
            self._failure = failure
            self._stop()
            self.events.close()
        finally:
            if report is not None:
                report.ended(None)

    def _stop(self) -> None:
        self._stopping = True
        self._scope.cancel()

    def _begin(self, position: int) -> None:
        if not self._started[position]:
            self._started[position] = True
            call = self._calls[position]
            self.events.put((position, ToolStart(call.id, call.function.name, call.function.arguments)))

    def _conclude(self, position: int, outcome: Outcome) -> bool:
        """Take the answer of a call; False where it has one, or nobody waits for it any more."""
        if self._is_answered(position):
            return False
        self.results[position], self.usages[position] = outcome.message, outcome.usage
        self.terminates = self.terminates or outcome.terminates
        self._begin(position)
        call = self._calls[position]
        end = ToolEnd(call.id, call.function.name, outcome.message, is_error(outcome.message))
        self.events.put((position, end))
        if position in self._answered:
            self._answered[position].set()
        self._open -= 1
        if not self._open:
            self.events.close()
        return True

    def _fault(self, step: Step) -> str | None:
        failed = [self._calls[other].id for other in step.needs if is_error(self._result(other))]
        if step.fault is None and failed:
            return f"The call was not run: it depends on {', '.join(map(repr, failed))}, which failed."
        return step.fault

    def _result(self, position: int) -> Message:
        message = self.results[position]
        assert message is not None, "a call is waited for until it is answered"
        return message

    def _context(self, position: int) -> ToolContext:
        call = self._calls[position]

        async def forward(item: Any) -> None:
            if not self._is_answered(position):
                await self.events.send((position, item))

        async def update(value: Any) -> None:
            await forward(ToolUpdate(call.id, call.function.name, as_json(value)))

        return ToolContext(
            call.id,
            call.function.name,
            source_agent=self._source_agent,
            depth=self._depth,
            messages=self._messages,
            update=update,
            forward=forward,
            aborted=lambda: self._is_stopped(position),
            count=self._count,
        )

    def _is_answered(self, position: int) -> bool:
        return self._over or self.results[position] is not None

    def _is_stopped(self, position: int) -> bool:
        return self._stopping or self._is_answered(position)
