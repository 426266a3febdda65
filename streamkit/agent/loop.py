"""One run of an agent: the model is asked, its calls are run and answered, until it makes none."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Iterator, Mapping
from contextlib import aclosing
from itertools import count
from typing import TYPE_CHECKING, Any, TypeAlias, Union
from weakref import ref

import anyio
from msgspec import structs

from streamkit.agent.history import says_anything
from streamkit.agent.results import RESULT_END, result_deltas, result_message
from streamkit.agent.runner import CUT_OFF, NOT_RUN, ToolRunner
from streamkit.client import Stream
from streamkit.client.observing import RunReport
from streamkit.deltas import MessageDeltaOutput, MessageEnd
from streamkit.errors import ConfigError, OutputError, StreamkitError, TurnLimit
from streamkit.events import Done, Event, Failed, RunStart, RunSummary, ToolEnd, TurnEnd, TurnStart
from streamkit.messages import FinishReason, Message, MessageOutput
from streamkit.parts import FunctionPart
from streamkit.structured import OutputType, correction
from streamkit.tools import Tool
from streamkit.usage import Usage

if TYPE_CHECKING:
    from streamkit.agent.agent import Agent

__all__ = ["Item", "Loop"]

# What the loop yields; the three forms of a run pick from it.
Item: TypeAlias = Union[MessageDeltaOutput, MessageOutput, Event]

# How long closing the run's own connections may take, in s.
CLOSE_S = 1.0


class Loop:
    """One run, and the state of it that `settle` needs when the run ends before its time.

    The history is only ever added to at the moments when it is whole: the query when the run starts, a message of
    the model when it is complete, a result when it is passed on. `settle` does the rest, once, for whatever ended
    the run.
    """

    def __init__(self, query: Message, output_type: Any = None) -> None:
        self._query = query
        self.output_type = None if output_type is None else OutputType.make(output_type)
        self.value: Any = None  # of the last message, once the run has ended by one of that type
        self.ended = False
        self._stream: Stream | None = None  # of the message that is under way
        self._calls: list[FunctionPart] = []  # of the newest message, and how many of them have their answer
        self._answered = 0
        self._runner: ToolRunner | None = None
        self._usage: Usage | None = None
        self._settled = False

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
                "another agent"
            )
        self._agent = ref(agent)
        self._name = agent.name
        self._max_turns = agent.max_turns
        self._output_retries = agent.output_retries
        self._tools = [tool.spec if isinstance(tool, Tool) else tool for tool in agent.tools]
        self._params = agent.params
        self._conversation.holder = self
        self._conversation.history.append(self._query)

    async def items(self) -> AsyncGenerator[Item, None]:
        """Yield all that happens; `start` comes first. No task group or cancel scope is open at any yield."""
        name, history, telemetry = self._name, self._conversation.history, self._client.telemetry
        run = None if telemetry is None else telemetry.run(self._client, name, self._query)
        try:
            yield RunStart(name)
            for turn in count(1):
                if turn > self._max_turns:
                    raise TurnLimit(
                        f"{name} asked the model {self._max_turns} times in one run, which is its max_turns; "
                        "the history holds all of it, so another run can go on"
                    )
                yield TurnStart(turn)
                end: MessageEnd | None = None
                asked = self._client.stream(history, tools=self._tools, output_type=self.output_type, **self._params)
                asked.run = run
                async with asked as stream:
                    self._stream = stream
                    async for delta in stream:
                        if type(delta) is MessageEnd:
                            # Passed on when the connection is free and the history has the message. Where a server
                            # sends several answers, it is the first that counts.
                            end = delta if end is None or delta.choice < end.choice else end
                        else:
                            yield MessageDeltaOutput(delta, None, None, 0, name)
                assert end is not None, "a stream that ends without an error ends by MessageEnd"
                output = self._commit(stream.output)
                goes_on = _goes_on(end.finish_reason, self._calls)
                fault, correcting = (None, None) if goes_on else self._read(output)
                goes_on = goes_on or correcting is not None
                if not goes_on and fault is None:
                    self.settle()
                    if run is not None:
                        run.ended(output, self._usage, None)
                yield MessageDeltaOutput(end, output.finish_reason, output.usage, 0, name)
                yield output
                if goes_on and self._calls:
                    async with aclosing(self._answer(run)) as answers:
                        async for item in answers:
                            yield item
                yield TurnEnd(turn)
                if correcting is not None:
                    history.append(correcting)
                elif fault is not None:
                    raise fault
                if not goes_on:
                    self.ended = True
                    yield Done(RunSummary(turn, end.finish_reason, self._usage))
                    return
        except BaseException as error:  # whatever ends a run, a cancellation too, leaves the history whole
            self.settle(error)
            if run is not None:
                run.ended(None, self._usage, error)
            if isinstance(error, StreamkitError):
                if error.partial is not None:
                    error.partial.source_agent = name
                yield Failed(type(error).__name__, str(error), error.partial, self._usage)
            raise
        finally:
            if self._owns_client:
                with anyio.move_on_after(CLOSE_S, shield=True):
                    await self._client.aclose()

    def settle(self, error: BaseException | None = None) -> None:
        """Leave the history whole and the agent free; does nothing the second time.

        A message that was under way is kept as far as it was shown, and every call gets an answer. Where an error
        ended the run before anything was shown, the query is taken back, so that it can be sent again. Never waits.
        """
        if self._settled:
            return
        self._settled = True
        history = self._conversation.history
        if self._stream is not None:
            output = self._stream.output
            self._count(output.usage)
            if says_anything(output.message):
                self._append(output.message)
        if isinstance(error, Exception) and history and history[-1] is self._query:
            history.pop()
        results = self._runner.results if self._runner else [None] * len(self._calls)
        text = CUT_OFF if self._runner else NOT_RUN
        for position in range(self._answered, len(self._calls)):
            history.append(results[position] or result_message(self._calls[position], text, failed=True))
        self._stream = self._runner = None
        self._conversation.holder = None

    def _commit(self, output: MessageOutput) -> MessageOutput:
        """Take a complete message into the history."""
        output = structs.replace(output, source_agent=self._name)
        self._stream = None
        self._count(output.usage)
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

    @property
    def partial_value(self) -> Any:
        """What the message that is under way says so far, of the output type."""
        return None if self._stream is None else self._stream.partial_value

    def _append(self, message: Message) -> None:
        self._conversation.history.append(message)
        self._calls, self._answered, self._runner = message.tool_calls or [], 0, None

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
        for call in self._calls[self._answered :]:  # what ended without a result was cancelled from outside
            for item in self._result(result_message(call, CUT_OFF, failed=True)):
                yield item

    def _functions(self) -> Mapping[str, Tool]:
        agent = self._agent()
        return {} if agent is None else agent._functions

    def _result(self, message: Message) -> Iterator[Item]:
        """Take a result into the history, and return what is yielded of it."""
        name = self._name
        self._conversation.history.append(message)
        self._answered += 1
        *deltas, end = result_deltas(message)
        yield from (MessageDeltaOutput(delta, None, None, 0, name) for delta in deltas)
        yield MessageDeltaOutput(end, RESULT_END, None, 0, name)
        yield MessageOutput(message, RESULT_END, source_agent=name)


def _goes_on(finish_reason: FinishReason, calls: list[FunctionPart]) -> bool:
    """Whether the model is asked again: it made calls, or its provider paused a long turn of server tools.

    https://docs.anthropic.com/en/docs/build-with-claude/handling-stop-reasons, checked 2026-11-29. Calls are run on
    `tool_call` alone: after any other finish they may be cut short.
    """
    return finish_reason.type == "tool_call" if calls else finish_reason.raw == "pause_turn"
