"""One run of an agent: the model is asked, its calls are run and answered, until it makes none."""

from __future__ import annotations

import inspect
import logging
from collections.abc import AsyncGenerator, Callable, Iterator, Mapping
from contextlib import aclosing
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, Union
from weakref import ref

import anyio
from msgspec import structs

from streamkit.agent.history import load_history, says_anything
from streamkit.agent.results import RESULT_END, result_deltas, result_message
from streamkit.agent.runner import CUT_OFF, NOT_RUN, ToolRunner
from streamkit.agent.turns import NextTurn, Turn
from streamkit.client import Stream
from streamkit.client.observing import RunReport
from streamkit.deltas import MessageDeltaOutput, MessageEnd, Retract
from streamkit.errors import ConfigError, ContextOverflow, OutputError, StreamkitError, TurnLimit
from streamkit.events import (
    Done,
    Event,
    Failed,
    MessageAdded,
    Progress,
    RunStart,
    RunSummary,
    ToolEnd,
    TurnEnd,
    TurnStart,
)
from streamkit.messages import FinishReason, Message, MessageOutput
from streamkit.parts import FunctionPart
from streamkit.structured import OutputType, correction
from streamkit.tools import Tool
from streamkit.transport.background import spawn
from streamkit.usage import Usage

if TYPE_CHECKING:
    from streamkit.agent.agent import Agent

__all__ = ["Item", "Loop"]

logger = logging.getLogger("streamkit")

# What the loop yields; the three forms of a run pick from it.
Item: TypeAlias = Union[MessageDeltaOutput, MessageOutput, Event]

# How long closing the run's own connections may take, in s.
CLOSE_S = 1.0

ABORTED = FinishReason("aborted")

# What the model is told of the calls that were running.
_ABORTED = "The call was interrupted by the user; what it did until then may have had effects."
_STEERED = "The call was interrupted by a message from the user; what it did until then may have had effects."


class Loop:
    """One run, and the state of it that `settle` needs when the run ends before its time.

    The history is only ever added to at the moments when it is whole: the query when the run starts, a message of
    the model when it is complete, a result when it is passed on. `settle` does the rest, once, for whatever ended
    the run.
    """

    def __init__(self, query: Message | None, output_type: Any = None, depth: int = 0) -> None:
        """Without a `query` the run goes on from the history, or with what waits in the agent's queues."""
        self._query = query
        self._depth = depth
        self.output_type = None if output_type is None else OutputType.make(output_type)
        self.value: Any = None  # of the last message, once the run has ended by one of that type
        self.ended = False
        self._stream: Stream | None = None  # of the message that is under way
        self._calls: list[FunctionPart] = []  # of the newest message, and how many of them have their answer
        self._answered = 0
        self._results: list[Message] = []
        self._runner: ToolRunner | None = None
        self._usage: Usage | None = None
        self._settled = False
        self._report: RunReport | None = None  # until it was told of the end
        self._cut: Literal["abort", "interrupt"] | None = None  # what the user has cut the turn off for
        self._hook_scope: anyio.CancelScope | None = None

    def start(self, agent: Agent) -> None:
        """Take the agent's conversation and add the query to it; raises `ConfigError` where another run has it.

        Of the agent itself only a weak reference is kept: an abandoned run is held until it is closed, and must not
        hold the agent, its tools, and by them perhaps whoever should have closed it.
        """
        self._conversation = agent._conversation
        self._client, self._owns_client = agent._connect()
        if self._conversation.holder is not None:
            raise ConfigError(
                f"{agent!r} is still in a run: read it to its end, close it (`async with`, or aclose()), or make "
                "another agent; agent.steer() and agent.follow_up() say something to the run"
            )
        history = self._conversation.history
        if self._query is not None:
            history.append(self._query)
        elif not self._conversation.inbox and (not history or history[-1].role not in ("user", "tool")):
            raise ConfigError(f"{agent!r} has nothing to go on with: neither a user nor a tool spoke last")
        self._agent = ref(agent)
        self._name = agent.name
        self._max_turns = agent.max_turns
        self._output_retries = agent.output_retries
        self._tools = [tool.spec if isinstance(tool, Tool) else tool for tool in agent.tools]
        self._params = agent.params
        self._context = agent._context
        self._should_stop, self._prepare_next_turn = agent._should_stop, agent._prepare_next_turn
        self._conversation.holder = self
        self._conversation.error = None

    async def items(self) -> AsyncGenerator[Item, None]:
        """Yield all that happens; `start` comes first. No task group or cancel scope is open at any yield."""
        name, depth, conversation, client = self._name, self._depth, self._conversation, self._client
        history, inbox, telemetry = conversation.history, conversation.inbox, self._client.telemetry
        self._report = run = None if telemetry is None else telemetry.run(client, name, self._query or history[-1])
        turn, goes_on, shortened = 0, True, False
        try:
            yield RunStart(name)
            while True:
                if turn == self._max_turns:
                    raise TurnLimit(
                        f"{name} asked the model {self._max_turns} times in one run, which is its max_turns; "
                        "the history holds all of it, so another run can go on"
                    )
                turn += 1
                yield TurnStart(turn)
                for added in self._take(goes_on):
                    yield added
                if conversation.full and self._cut is None:
                    before, conversation.full = len(history), False
                    yield Progress("compacting", {"messages": before})
                    await self._shorten()
                    yield Progress("compacted", {"before": before, "after": len(history)})
                messages = await self._shown()
                end: MessageEnd | None = None
                began = overflowed = False
                if self._cut is None:
                    stream = self._ask(messages, run)
                    try:
                        async with stream:
                            if stream.retried:
                                yield _retrying(stream)
                            async for delta in stream:
                                if type(delta) is MessageEnd:
                                    # Passed on when the connection is free and the history has the message. Where a
                                    # server sends several answers, it is the first that counts.
                                    end = delta if end is None or delta.choice < end.choice else end
                                else:
                                    began = True
                                    yield MessageDeltaOutput(delta, None, None, depth, name)
                    except StreamkitError as error:
                        overflowed = not began and not shortened and self._can_shorten(error)
                        if self._cut is None and not overflowed:
                            raise
                        logger.debug("%s was cut off (%s)", name, self._cut or "too long", exc_info=True)
                    if end is None and self._cut is None:
                        assert overflowed, "a stream that ends without an error ends by MessageEnd"
                        conversation.full = shortened = True
                if end is None and not self._aborting:
                    if began:
                        taken_back = stream.tell(Retract("the user said something"))
                        yield MessageDeltaOutput(taken_back, None, None, depth, name)
                    if self._cut is not None:
                        yield Progress("interrupted")
                    yield TurnEnd(turn)
                    continue
                if end is None and not began:
                    self._finish(None)
                    yield TurnEnd(turn)
                    yield Done(RunSummary(turn, ABORTED, self._usage))
                    return
                if end is None:
                    end = stream.tell(MessageEnd(ABORTED))
                output = self._commit(stream.output)
                shortened = False
                goes_on = _goes_on(end.finish_reason, self._calls)
                aborted = self._aborting
                fault, correcting = (None, None) if goes_on or aborted else self._read(output)
                last = not goes_on and fault is None and not self._calls and (aborted or not inbox)
                if last:
                    self._finish(output)
                yield MessageDeltaOutput(end, output.finish_reason, output.usage, depth, name)
                yield output
                if goes_on and self._calls and self._cut is None:
                    async with aclosing(self._answer(run)) as answers:
                        async for item in answers:
                            yield item
                else:
                    for item in self._left(NOT_RUN):
                        yield item
                if correcting is not None:
                    history.append(correcting)
                    yield MessageAdded(correcting, "correction")
                    goes_on = True
                yield TurnEnd(turn)
                if fault is not None and correcting is None:
                    raise fault
                conversation.full = self._context.is_full(output)
                if await self._stops(turn, output, goes_on=goes_on or bool(inbox)) or not self._reopened():
                    self.ended = not goes_on and not aborted
                    reason = ABORTED if self._aborting else end.finish_reason
                    self._finish(output)
                    yield Done(RunSummary(turn, reason, self._usage))
                    return
        except BaseException as error:  # whatever ends a run, a cancellation too, leaves the history whole
            self.settle(error)
            self._tell_end(None, error)
            if isinstance(error, StreamkitError) and error.partial is not None:
                error.partial.source_agent, error.partial.depth = name, depth
            if isinstance(error, Exception):
                yield Failed(type(error).__name__, str(error), getattr(error, "partial", None), self._usage)
            raise
        finally:
            if self._owns_client:
                with anyio.move_on_after(CLOSE_S, shield=True):
                    await client.aclose()

    def abort(self) -> None:
        """End the run: the model's message is cut off, its tools are stopped. What was shown stays."""
        self._cut = "abort"
        if self._hook_scope is not None:
            self._hook_scope.cancel()
        self._stop(_ABORTED)

    def interrupt(self) -> None:
        """Cut the turn off for a message that waits: what the model has said of its message is taken back."""
        if self._cut is None:
            self._cut = "interrupt"
            self._stop(_STEERED)

    @property
    def _aborting(self) -> bool:
        return self._cut == "abort"

    @property
    def partial_value(self) -> Any:
        """What the message that is under way says so far, of the output type."""
        return None if self._stream is None else self._stream.partial_value

    @property
    def partial(self) -> Message | None:
        """The message that is under way, as far as it has come."""
        return None if self._stream is None else self._stream.output.message

    @property
    def pending(self) -> frozenset[str]:
        """The ids of the calls that are being run."""
        if self._runner is None:
            return frozenset()
        return frozenset(
            call.id for call, result in zip(self._calls, self._runner.results, strict=True) if result is None
        )

    def settle(self, error: BaseException | None = None) -> None:
        """Leave the history whole and the agent free; does nothing the second time.

        A message that was under way is kept as far as it was shown, and every call gets an answer. Where an error
        ended the run before anything was shown, the query is taken back, so that it can be sent again. Never waits.
        """
        if self._settled:
            return
        self._settled = True
        conversation = self._conversation
        history = conversation.history
        if self._stream is not None:
            output = self._stream.output
            self._count(output.usage)
            if says_anything(output.message):
                self._append(output.message)
        if isinstance(error, Exception):
            conversation.error = f"{type(error).__name__}: {error}"
            if history and history[-1] is self._query:
                history.pop()
        results = self._runner.results if self._runner else [None] * len(self._calls)
        text = CUT_OFF if self._runner else NOT_RUN
        for position in range(self._answered, len(self._calls)):
            history.append(results[position] or result_message(self._calls[position], text, failed=True))
        self._stream = self._runner = None
        self._calls, self._answered = [], 0
        conversation.holder = None

    def _take(self, goes_on: bool) -> Iterator[MessageAdded]:
        """Put what the user has said meanwhile into the history."""
        inbox = self._conversation.inbox
        taken = [(message, "steering") for message in inbox.steering.take()]
        if not goes_on and not taken:
            taken = [(message, "follow_up") for message in inbox.follow_ups.take()]
        if self._cut == "interrupt":
            self._cut = None
        for message, source in taken:
            self._conversation.history.append(message)
            yield MessageAdded(message, source)

    async def _shown(self) -> list[Message]:
        """What of the conversation is sent; none of it where the turn was cut off meanwhile."""
        messages = self._conversation.history
        for hook in (self._context.transform, self._context.convert):
            if hook is not None and self._cut is None:
                messages = await self._hook(hook, list(messages))
        return messages

    def _ask(self, messages: list[Message], run: RunReport | None) -> Stream:
        """The stream of the next message, in place of one that was taken back, if any was."""
        stream = self._client.stream(messages, tools=self._tools, output_type=self.output_type, **self._params)
        stream.run = run
        if self._stream is not None:
            stream.follow(self._stream)
        self._stream = stream
        return stream

    def _can_shorten(self, error: StreamkitError) -> bool:
        return isinstance(error, ContextOverflow) and self._context.compact is not None

    async def _shorten(self) -> None:
        """Put what the hook makes of the conversation in its place."""
        assert self._context.compact is not None, "no conversation is full without it"
        history = self._conversation.history
        shorter = await self._hook(self._context.compact, list(history))
        if self._aborting:
            self._conversation.full = True
        else:
            history[:] = load_history(shorter)

    async def _stops(self, turn: int, output: MessageOutput, *, goes_on: bool) -> bool:
        """Whether the run is over after this turn; else what the hook changes is changed for the next one."""
        if not goes_on or self._aborting:
            return True
        if self._should_stop is None and self._prepare_next_turn is None:
            return False
        assert output.finish_reason is not None, "it is complete"
        over = Turn(
            turn, output.message, output.finish_reason, self._results, self._usage, list(self._conversation.history)
        )
        if self._should_stop is not None and await self._hook(self._should_stop, over):
            return True
        if self._prepare_next_turn is not None and not self._aborting:
            self._change(await self._hook(self._prepare_next_turn, over))
        return self._aborting

    def _change(self, following: NextTurn | None) -> None:
        if following is None:
            return
        if following.model is not None:
            self._client = self._client.on(following.model)
            self._params = {name: value for name, value in self._params.items() if name != "model"}
        self._params = {**self._params, **following.params}
        agent = self._agent()
        if following.tools is not None and agent is not None:
            self._tools = agent._specs(following.tools)

    async def _hook(self, hook: Callable[..., Any], *arguments: Any) -> Any:
        """Call a hook, and wait for it as long as the run is not cut off; None where it was."""
        value = hook(*arguments)
        if not inspect.isawaitable(value):
            return value
        try:
            with anyio.CancelScope() as self._hook_scope:
                return await value
        finally:
            self._hook_scope = None
        return None

    def _stop(self, text: str) -> None:
        """Stop the model and the tools."""
        if self._runner is not None:
            self._runner.interrupt(text)
        elif self._stream is not None:
            stream = self._stream

            async def close() -> None:
                try:
                    await stream.aclose()
                except Exception:  # the task is nobody's, and on trio an error in it would end all
                    logger.warning("an error while the stream of an aborted run was closed", exc_info=True)

            spawn(close)

    def _finish(self, output: MessageOutput | None) -> None:
        self.settle()
        self._tell_end(output, None)

    def _tell_end(self, output: MessageOutput | None, error: BaseException | None) -> None:
        """Tell the observer, the first time."""
        report, self._report = self._report, None
        if report is not None:
            report.ended(output, self._usage, error)

    def _reopened(self) -> bool:
        """Whether the run goes on: what was settled, since nothing was left to do, is taken up again for a message.

        False where another run has the agent by now.
        """
        if self._settled:
            if self._conversation.holder is not None:
                return False
            self._settled, self._conversation.holder = False, self
        return True

    def _commit(self, output: MessageOutput) -> MessageOutput:
        """Take a complete message into the history."""
        output = structs.replace(output, source_agent=self._name, depth=self._depth)
        self._stream = None
        self._count(output.usage)
        if output.finish_reason is not ABORTED or says_anything(output.message):
            self._append(output.message)
        return output

    def _read(self, output: MessageOutput) -> tuple[OutputError | None, Message | None]:
        """Take the value of the last message; where it has none, return why, and what the model is told of that."""
        if self.output_type is None:
            return None, None
        try:
            self.value = self.output_type.read(output)
        except OutputError as error:
            told = correction(error) if self._output_retries else None
            self._output_retries -= told is not None
            return error.with_traceback(None), told
        return None, None

    def _append(self, message: Message) -> None:
        self._conversation.history.append(message)
        self._calls, self._answered, self._results, self._runner = message.tool_calls or [], 0, [], None

    def _count(self, usage: Usage | None) -> None:
        if usage is not None:
            self._usage = self._usage + usage if self._usage else usage
            self._conversation.usage += usage

    async def _answer(self, run: RunReport | None) -> AsyncGenerator[Item, None]:
        """Run the calls; yield their events as they come, and each result once those before it have been yielded."""
        runner = self._runner = ToolRunner(self._functions(), self._calls, run)
        runner.start()
        ended: dict[int, Message] = {}
        try:
            async for position, event in runner.events:
                yield event
                if isinstance(event, ToolEnd):
                    ended[position] = event.message
                    while self._answered in ended:
                        for item in self._result(ended[self._answered]):
                            yield item
            runner.check()
        finally:
            await runner.aclose()
        for item in self._left(CUT_OFF):  # what ended without a result was cancelled from outside
            yield item

    def _left(self, text: str) -> Iterator[Item]:
        """Answer the calls that have no answer yet."""
        for call in self._calls[self._answered :]:
            yield from self._result(result_message(call, text, failed=True))

    def _functions(self) -> Mapping[str, Tool]:
        agent = self._agent()
        return {} if agent is None else agent._functions

    def _result(self, message: Message) -> Iterator[Item]:
        """Take a result into the history, and return what is yielded of it."""
        name, depth = self._name, self._depth
        self._conversation.history.append(message)
        self._results.append(message)
        self._answered += 1
        *deltas, end = result_deltas(message)
        yield from (MessageDeltaOutput(delta, None, None, depth, name) for delta in deltas)
        yield MessageDeltaOutput(end, RESULT_END, None, depth, name)
        yield MessageOutput(message, RESULT_END, depth=depth, source_agent=name)


def _goes_on(finish_reason: FinishReason, calls: list[FunctionPart]) -> bool:
    """Whether the model is asked again: it made calls, or its provider paused a long turn of server tools.

    https://docs.anthropic.com/en/docs/build-with-claude/handling-stop-reasons, checked 2026-11-29. Calls are run on
    `tool_call` alone: after any other finish they may be cut short.
    """
    return finish_reason.type == "tool_call" if calls else finish_reason.raw == "pause_turn"


def _retrying(stream: Stream) -> Progress:
    error = stream.retried[-1]
    return Progress("retrying", {"error": f"{type(error).__name__}: {error}", "number": len(stream.retried)})
