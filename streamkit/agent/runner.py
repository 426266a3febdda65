"""Runs the calls of one message in parallel, in a task that the run owns."""

from __future__ import annotations

import inspect
import logging
from collections.abc import Mapping, Sequence
from contextlib import aclosing
from typing import Any, TypeAlias, Union

import anyio
import anyio.to_thread

from streamkit.agent.results import as_json, describe, is_error, result_message
from streamkit.client.observing import RunReport, ToolReport
from streamkit.errors import ToolError
from streamkit.events import ToolEnd, ToolStart, ToolUpdate
from streamkit.messages import Message
from streamkit.parts import FunctionPart
from streamkit.tools import Tool, ToolContext
from streamkit.transport.background import on_trio, spawn

__all__ = ["CUT_OFF", "NOT_RUN", "ToolRunner"]

logger = logging.getLogger("streamkit")

ToolEvent: TypeAlias = Union[ToolStart, ToolUpdate, ToolEnd]

# Events that may wait for the consumer; a tool that reports more progress waits in turn.
QUEUE_SIZE = 64
# Plain functions that run at a time, as many as anyio lets. The count is of one message: threads that were left behind
# must not keep those of later ones waiting.
THREADS = 40
# How long the end of a run waits for tools to clean up after themselves, in s.
CLOSE_S = 1.0

# What the model is told of a call without a result.
CUT_OFF = "The call was interrupted before it had a result; what it did until then may have had effects."
NOT_RUN = "The call was not run, because the answer was interrupted."


class ToolRunner:
    """The calls of one message, each in a task of one task group, which stands in a task of its own.

    `start` starts them, `events` yields what happens, with the number of the call, until all have ended, `aclose` ends
    them. `results` has the message that answers each call, in the order of the calls, None while there is none. A call
    with an `error`, of an unknown tool or with arguments that do not fit is answered by that at once. What is no
    failure of a tool alone (`SystemExit`, say) ends all calls and is raised by `check`.
    """

    def __init__(self, tools: Mapping[str, Tool], calls: Sequence[FunctionPart], run: RunReport | None = None) -> None:
        names = {call.function.name for call in calls}
        self._tools = {name: tool for name, tool in tools.items() if name in names}
        self._known = ", ".join(tools) or "none"
        self._calls = calls
        self._run_report = run
        self.results: list[Message | None] = [None] * len(calls)
        self._send, self.events = anyio.create_memory_object_stream[tuple[int, ToolEvent]](QUEUE_SIZE)
        self._threads = anyio.CapacityLimiter(THREADS)
        self._scope = anyio.CancelScope()
        self._ended = anyio.Event()
        self._failure: BaseException | None = None

    def start(self) -> None:
        """Start all calls."""
        spawn(self._run)

    def check(self) -> None:
        """Raise what ended all calls and is no result, if anything did."""
        if self._failure is not None:
            raise self._failure

    def interrupt(self, text: str) -> None:
        self._text = text
        self._scope.cancel()

    async def aclose(self) -> None:
        """Cancel what still runs and wait for its end, for `CLOSE_S` at most; a thread is not waited for."""
        self._scope.cancel()
        try:
            with anyio.move_on_after(CLOSE_S, shield=True):
                await self._ended.wait()
        finally:
            self.events.close()

    async def _run(self) -> None:
        try:
            with self._scope:
                async with anyio.create_task_group() as tasks:
                    for position, call in enumerate(self._calls):
                        start = ToolStart(call.id, call.function.name, call.function.arguments)
                        await self._send.send((position, start))
                        tasks.start_soon(self._answer, position, call)
        finally:
            self._tools = {}  # of no more use, and they may hold whoever holds this
            self._send.close()
            self._ended.set()

    async def _answer(self, position: int, call: FunctionPart) -> None:
        run = self._run_report
        report = None if run is None else run.tool(call, self._tools.get(call.function.name))
        try:
            message = await self._result(position, call, report)
            self.results[position] = message
            if report is not None:
                report.ended(message)
            await self._send.send((position, ToolEnd(call.id, call.function.name, message, is_error(message))))
        except anyio.get_cancelled_exc_class():
            raise
        except BaseException as error:  # an error let out of this task would end all of trio
            self._failure = error
            self._scope.cancel()
        finally:
            if report is not None:
                report.ended(None)

    async def _result(self, position: int, call: FunctionPart, report: ToolReport | None) -> Message:
        try:
            tool, arguments = self._prepare(call)
            return result_message(call, await self._call(position, call, tool, arguments))
        except Exception as error:  # a tool may raise anything, and the model is told
            logger.debug("the tool %s failed", call.function.name, exc_info=True)
            if report is not None:
                report.failed(error)
            return result_message(call, describe(error), failed=True)
        except anyio.get_cancelled_exc_class() as error:
            # On asyncio a tool can raise this itself, by awaiting something that was cancelled.
            if on_trio() or self._scope.cancel_called:
                raise
            return result_message(call, describe(error), failed=True)

    def _prepare(self, call: FunctionPart) -> tuple[Tool, dict[str, Any]]:
        name = call.function.name
        if call.error is not None:
            raise ToolError(f"The call of {name} was not run: {call.error}. Make it again with its arguments complete.")
        if name not in self._tools:
            raise ToolError(f"There is no tool {name!r}. There are: {self._known}.")
        tool = self._tools[name]
        return tool, tool.validate(call.function.arguments)

    async def _call(self, position: int, call: FunctionPart, tool: Tool, arguments: dict[str, Any]) -> Any:
        value: Any

        async def update(value: Any) -> None:
            if self.results[position] is None:
                await self._send.send((position, ToolUpdate(call.id, call.function.name, as_json(value))))

        context = ToolContext(call.id, tool.name, update=update, aborted=lambda: self._scope.cancel_called)
        if tool.runs_in_thread:
            # In a tuple, since trio takes no awaitable out of a thread.
            (value,) = await anyio.to_thread.run_sync(
                lambda: (tool.call(arguments, context),), abandon_on_cancel=True, limiter=self._threads
            )
        else:
            value = tool.call(arguments, context)
        if inspect.isasyncgen(value):
            value = await self._last(position, call, value)
        elif inspect.isawaitable(value):
            value = await value
        return value

    async def _last(self, position: int, call: FunctionPart, values: Any) -> Any:
        """The last of the values, each reported as it comes."""
        value: Any = None
        async with aclosing(values):
            async for value in values:
                await self._send.send((position, ToolUpdate(call.id, call.function.name, as_json(value))))
        return value
