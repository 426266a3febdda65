"""One call of a tool, from what the model wrote to the message that answers it."""

from __future__ import annotations

import inspect
import logging
from collections.abc import Callable, Mapping
from contextlib import aclosing
from typing import Any

import anyio
import anyio.lowlevel
import anyio.to_thread
from msgspec import Struct, structs

from streamkit.agent.results import MAX_RESULT_CHARS, as_json, describe, result_message
from streamkit.client.observing import ToolReport
from streamkit.errors import ToolError
from streamkit.messages import Message
from streamkit.parts import FunctionPart
from streamkit.tools import AfterTool, BeforeTool, Block, Tool, ToolContext, ToolMode, ToolRequest, ToolResult
from streamkit.transport.background import on_trio
from streamkit.usage import Usage

__all__ = ["Calling", "Outcome", "ToolRules"]

logger = logging.getLogger("streamkit")

# How long a tool that was told to end may take to, in s, before its call is answered without it.
GRACE_S = 1.0


class ToolRules(Struct, frozen=True):
    """What an agent says of all its tools."""

    mode: ToolMode = "parallel"
    before: BeforeTool | None = None
    after: AfterTool | None = None
    max_result_chars: int | None = MAX_RESULT_CHARS


class Outcome(Struct, frozen=True):
    """The message that answers a call, what the call used, and whether the run is to end with it."""

    message: Message
    usage: Usage | None = None
    terminates: bool = False


class Calling:
    """One call: `outcome` runs it, `watch` beside it ends the function in time where the tool has a `timeout_s`.

    It is to be started by `began`, which is called right before the function: the time of hooks is not the tool's.

    In order: the tool is found by its name, `prepare_arguments`, the hook before, validation, the function, the hook
    after. The hook after is asked of whatever the function did, and of nothing else. Whatever raises an exception on
    the way makes an error of the call.
    """

    def __init__(
        self,
        call: FunctionPart,
        tool: Tool | None,
        rules: ToolRules,
        context: ToolContext,
        *,
        known: str,
        threads: anyio.CapacityLimiter,
        report: ToolReport | None,
        stopped: Callable[[], bool],
        began: Callable[[], object],
    ) -> None:
        self._call = call
        self._tool = tool
        self._known = known  # the names of all tools, for the model that called another
        self._rules = rules
        self._context = context
        self._threads = threads
        self._report = report
        self._stopped = stopped
        self._began = began
        self._scope = anyio.CancelScope()  # of the function
        self._timer = anyio.CancelScope()
        self.timeout_s = None if tool is None else tool.timeout_s
        self._expired = False

    async def outcome(self, fault: str | None = None) -> Outcome:
        """Run the call, unless it has a fault already; whatever it raises but a cancellation is told in the outcome."""
        result = ToolResult()
        try:
            if fault is not None:
                raise ToolError(fault)
            request, arguments = await self._prepare()
            result = await self._run(request.tool, arguments)
            if self._rules.after is not None:
                result = result.updated(_override(await _settled(self._rules.after(request, result))))
            return Outcome(self._message(result), result.usage, result.terminate)
        except Exception as error:  # a tool may raise anything, and the model is told
            return self._failure(error, result)
        except anyio.get_cancelled_exc_class() as error:
            # On asyncio a tool can raise this itself, by awaiting something that was cancelled.
            if on_trio() or self._stopped():
                raise
            return self._failure(error, result)

    async def watch(self, give_up: Callable[[Outcome], object]) -> None:
        """End the function after its time; where it does not end, `give_up` is called with the outcome."""
        assert self.timeout_s is not None, "there is a time to watch"
        with self._timer:
            await anyio.sleep(self.timeout_s)
            self._expired = True
            self._scope.cancel()
            await anyio.sleep(GRACE_S)
            logger.warning("the tool %s does not end after its time: it is left behind", self._call.function.name)
            give_up(Outcome(self._message(_error(self._late()))))

    async def _prepare(self) -> tuple[ToolRequest, dict[str, Any]]:
        call, rules = self._call, self._rules
        name, arguments = call.function.name, call.function.arguments
        if call.error is not None:
            raise ToolError(f"The call of {name} was not run: {call.error}. Make it again with its arguments complete.")
        tool = self._tool
        if tool is None:
            raise ToolError(f"There is no tool {name!r}. There are: {self._known}.")
        if tool.prepare_arguments is not None or rules.before is not None or rules.after is not None:
            arguments = as_json(arguments)  # a copy, since those of the call stand in the history
        if tool.prepare_arguments is not None:
            arguments = await _settled(tool.prepare_arguments(arguments))
            if not isinstance(arguments, Mapping):
                raise ToolError(f"prepare_arguments of {name} gave {type(arguments).__name__}, not a dict")
        request = ToolRequest(call, tool, dict(arguments), self._context)
        if rules.before is not None:
            decision = await _settled(rules.before(request))
            if isinstance(decision, Block):
                raise ToolError(decision.reason)
            if isinstance(decision, Mapping):
                request = structs.replace(request, arguments=dict(decision))
            elif decision is not None:
                raise ToolError(f"before_tool gave {type(decision).__name__}, not None, a Block or a dict")
        return request, tool.validate(request.arguments)

    async def _run(self, tool: Tool, arguments: dict[str, Any]) -> ToolResult:
        if self._stopped():  # meanwhile
            await anyio.lowlevel.checkpoint()
        value: Any = None
        if self.timeout_s is not None:
            self._began()
        try:
            with self._scope:
                value = await self._value(tool, arguments)
        except anyio.get_cancelled_exc_class() as error:
            if on_trio() or self._stopped():
                raise
            return self._failed(error)
        except Exception as error:  # the tool's own, whatever it is: the hook after it is asked, and the model told
            return self._failed(self._late() if self._expired else error)
        finally:
            self._timer.cancel()
        if self._expired:
            return self._failed(self._late())
        result = value if isinstance(value, ToolResult) else ToolResult(value)
        if result.is_error and self._report is not None:
            self._report.failed(ToolError(f"{tool.name} says that it failed"))
        return result

    async def _value(self, tool: Tool, arguments: dict[str, Any]) -> Any:
        if tool.runs_in_thread:
            value = await self._in_thread(tool, arguments)
        else:
            value = tool.call(arguments, self._context)
        if inspect.isasyncgen(value):
            return await self._last(value)
        return await _settled(value)

    async def _in_thread(self, tool: Tool, arguments: dict[str, Any]) -> Any:
        began = False

        def work() -> tuple[Any]:  # in a tuple, since trio takes no awaitable out of a thread
            nonlocal began
            began = True
            return (tool.call(arguments, self._context),)

        try:
            (value,) = await anyio.to_thread.run_sync(work, abandon_on_cancel=True, limiter=self._threads)
        except anyio.get_cancelled_exc_class():
            if began:
                logger.info("the tool %s goes on in its thread; its result will be dropped", tool.name)
            raise
        return value

    async def _last(self, values: Any) -> Any:
        """The last of the values, each reported as it comes."""
        value: Any = None
        async with aclosing(values):
            async for value in values:
                await self._context.update(value.value if isinstance(value, ToolResult) else value)
        return value

    def _message(self, result: ToolResult) -> Message:
        own = None if self._tool is None else self._tool.max_result_chars
        return result_message(self._call, result, max_chars=self._rules.max_result_chars if own is None else own)

    def _late(self) -> ToolError:
        return ToolError(f"{self._call.function.name} was stopped: it took longer than {self.timeout_s:g} s.")

    def _failed(self, error: BaseException) -> ToolResult:
        logger.debug("the tool %s failed", self._call.function.name, exc_info=error)
        if self._report is not None:
            self._report.failed(error)
        return _error(error)

    def _failure(self, error: BaseException, result: ToolResult) -> Outcome:
        """The outcome where there is no result, or a hook or the message broke it; what it used counts all the same."""
        return Outcome(self._message(self._failed(error)), result.usage)


def _error(error: BaseException) -> ToolResult:
    return ToolResult(describe(error), is_error=True)


def _override(given: Any) -> ToolResult:
    if given is None:
        return ToolResult()
    if not isinstance(given, ToolResult):
        raise ToolError(f"after_tool gave {type(given).__name__}, not None or a ToolResult")
    return given


async def _settled(value: Any) -> Any:
    return await value if inspect.isawaitable(value) else value
