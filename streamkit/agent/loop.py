"""One run of an agent: the model is asked, its calls are run and answered, until it makes none."""

from __future__ import annotations

import logging
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from typing import TYPE_CHECKING, Any, TypeAlias, Union

import anyio

from streamkit.agent.control import Control
from streamkit.agent.link import AgentLink
from streamkit.agent.results import CUT_OFF, not_run, text_of
from streamkit.agent.runner import ToolRunner
from streamkit.agent.transcript import Output, Transcript
from streamkit.agent.turns import Turn
from streamkit.client import Stream
from streamkit.client.observing import RunReport
from streamkit.client.retries import Retrying
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
    ToolStart,
    TurnEnd,
    TurnStart,
)
from streamkit.messages import FinishReason, Message, MessageOutput
from streamkit.parts import FunctionPart
from streamkit.structured import OutputType, correction
from streamkit.usage import Usage

if TYPE_CHECKING:
    from streamkit.agent.agent import Agent

__all__ = ["Item", "Loop"]

logger = logging.getLogger("streamkit")

# What the loop yields; the three forms of a run pick from it.
Item: TypeAlias = Union[Output, Event]

# How long closing the run's own connections may take, in s.
CLOSE_S = 1.0

ABORTED = FinishReason("aborted")


class Loop:
    """One run, and the state of it that `settle` needs when the run ends before its time."""

    def __init__(
        self,
        query: Message | None,
        output_type: Any = None,
        depth: int = 0,
        count: Callable[[Usage | None], None] | None = None,
    ) -> None:
        """Without a `query` the run goes on from the history, or with what waits in the agent's queues.

        A sub-agent has a `depth`, and who asked it is told by `count` what it uses.
        """
        self._count = count
        self._query = query
        self._depth = depth
        self.output_type = None if output_type is None else OutputType.make(output_type)
        self.value: Any = None  # of the last message, once the run has ended by one of that type
        self.ended = False
        self.control = Control()
        self.pending: set[str] = set()  # the ids of the calls that have started, as far as was told
        self._report: RunReport | None = None  # until it was told of the end
        self.summary: RunSummary | None = None  # once it is over
        self._turn = 0
        self._heard: list[MessageAdded] = []  # in the first turn
        self._ends = False  # by a tool's result
        self._goes_on = True  # with nothing new from the user
        self._shortened = False  # for this message
        self._settled = False

    def start(self, agent: Agent) -> None:
        """Take the agent's conversation and add the query to it; raises `ConfigError` where another run has it."""
        self._link = AgentLink(agent)
        self._conversation = agent._conversation
        if self._conversation.holder is not None:
            raise ConfigError(
                f"{agent!r} is still in a run: read it to its end, close it (`async with`, or aclose()), or make "
                "another agent; agent.steer() and agent.follow_up() say something to the run"
            )
        self._goes_on = self._conversation.begin(self._query)
        if not self._goes_on and not self._conversation.inbox:
            raise ConfigError(f"{agent!r} has nothing to go on with: neither a user nor a tool spoke last")
        self._max_turns = agent.max_turns
        self._output_retries = agent.output_retries
        self._transcript = Transcript(self._conversation, agent.name, self._depth, self._link.activate, self._count)
        self._conversation.hold(self)

    async def items(self) -> AsyncGenerator[Item, None]:
        """Yield all that happens; `start` comes first. No task group or cancel scope is open at any yield."""
        client, control, name, depth = self._link.client, self.control, self._link.name, self._depth
        if client.telemetry is not None:
            self._report = client.telemetry.run(client, name, self._asks())
        try:
            yield RunStart(name)
            while self.summary is None:
                async with aclosing(self._open_turn()) as items:
                    async for item in items:
                        yield item
                stream = await self._ask()
                end: MessageEnd | None = None
                if stream is not None:
                    began = False
                    try:
                        async with aclosing(stream):
                            while (retrying := await stream.attempt()) is not None:
                                yield Progress("retrying", retrying.detail)
                            async for delta in stream.told():
                                if type(delta) is MessageEnd:
                                    # Passed on when the connection is free and the history has the message. Where a
                                    # server sends several answers, it is the first that counts.
                                    end = delta if end is None or delta.choice < end.choice else end
                                elif isinstance(delta, Retrying):
                                    yield Progress("retrying", delta.detail)
                                else:
                                    began = True
                                    yield MessageDeltaOutput(delta, None, None, depth, name)
                                if control.cut:
                                    break
                    except StreamkitError as error:
                        if not control.cut and (began or not self._will_shorten(error)):
                            raise
                        logger.debug("a turn of %s was cut off", name, exc_info=True)
                    if end is None and began:
                        if control.aborting:
                            end = stream.tell(MessageEnd(ABORTED))
                        else:
                            yield self._transcript.piece(stream.tell(Retract("the user said something")))
                async with aclosing(self._close_turn(end)) as items:
                    async for item in items:
                        yield item
            yield Done(self.summary)
        except BaseException as error:  # whatever ends a run, a cancellation too, leaves the history whole
            self.settle(error)
            self._tell_end(None, error)
            if isinstance(error, StreamkitError) and error.partial is not None:
                error.partial.source_agent, error.partial.depth = name, depth
            if isinstance(error, Exception):
                partial = error.partial if isinstance(error, StreamkitError) else None
                yield Failed(type(error).__name__, text_of(error), partial, self._transcript.usage)
            raise
        finally:
            if self._link.owns_client:
                with anyio.move_on_after(CLOSE_S, shield=True):
                    await client.aclose()

    @property
    def partial_value(self) -> Any:
        """What the message that is under way says so far, of the output type."""
        return None if self.control.stream is None else self.control.stream.partial_value

    @property
    def partial(self) -> Message | None:
        """The message that is under way, as far as it has come."""
        return None if self.control.stream is None else self.control.stream.output.message

    def settle(self, error: BaseException | None = None) -> None:
        """Leave the history whole and the agent free; does nothing the second time.

        A message that was under way is kept as far as it was shown, and every call gets an answer. Where an error
        ended the run before anything was shown, the query is taken back, so that it can be sent again. Never waits.
        """
        if self._settled:
            return
        self._settled = True
        control = self.control
        if control.stream is not None:
            self._transcript.add(control.stream.output)
        if control.runner is not None:
            rest = self._transcript.answer_rest(CUT_OFF, control.runner.results, control.runner.usages)
        else:
            rest = self._transcript.answer_rest(not_run("error" if isinstance(error, Exception) else None))
        for _ in rest:
            pass
        if isinstance(error, Exception):
            self._conversation.error = f"{type(error).__name__}: {text_of(error)}"
            self._conversation.take_back(self._query, self._heard)
        control.stream = control.runner = None
        self._conversation.holder = None

    def _asks(self) -> Message:
        """What the run answers: its query, else what was said last, or waits to be said."""
        if self._query is not None:
            return self._query
        history, inbox = self._conversation.history, self._conversation.inbox
        return history[-1] if self._goes_on else next(iter(inbox))

    async def _open_turn(self) -> AsyncGenerator[Item, None]:
        """Begin a turn: what the user has said meanwhile comes into the history, which is made shorter if it must."""
        if self._turn == self._max_turns:
            more = "" if self._depth else "; the history holds all of it, so another run can go on"
            often = f"asked the model {self._max_turns} times in one run, which is its max_turns"
            raise TurnLimit(f"{self._link.name} {often}{more}")
        self._turn += 1
        yield TurnStart(self._turn)
        history = self._conversation.history
        heard = self._conversation.hear(goes_on=self._goes_on)
        if self._turn == 1:
            self._heard = heard
        self.control.heard()
        for added in heard:
            yield added
        if self._conversation.full and self._link.hooks.compact is not None:
            before = len(history)
            yield Progress("compacting", {"messages": before})
            shorter = await self.control.call(self._link.hooks.compact, list(history))
            if not self.control.aborting:
                history[:] = self._link.instructed(shorter)
                self._conversation.full = False
                yield Progress("compacted", {"before": before, "after": len(history)})

    async def _ask(self) -> Stream | None:
        """The stream of the next message, in place of one that was taken back, if any was; None for a cut turn."""
        control, messages = self.control, self._conversation.history
        for hook in (self._link.hooks.transform, self._link.hooks.convert):
            if hook is not None and not control.cut:
                messages = await control.call(hook, list(messages))
        if control.cut:
            return None
        stream = self._link.client.stream(
            messages, tools=self._link.specs, output_type=self.output_type, **self._link.params
        )
        stream.run = self._report
        if control.stream is not None:
            stream.follow(control.stream)
        control.stream = stream
        return stream

    async def _close_turn(self, end: MessageEnd | None) -> AsyncGenerator[Item, None]:
        """Take the message into the history, run its calls, and find out whether that was all.

        Without an `end` the turn was cut off before its message said anything that stays.
        """
        control, transcript, stream = self.control, self._transcript, self.control.stream
        if end is None or stream is None:
            if control.aborting:
                self._finish(None)
                self.summary = RunSummary(self._turn, ABORTED, transcript.usage)
            elif control.interrupted:
                yield Progress("interrupted")
            yield TurnEnd(self._turn)
            return
        control.stream, self._shortened = None, False
        output = transcript.add(stream.output)
        self._goes_on = _goes_on(end.finish_reason, transcript.calls) and not control.aborting
        fault, correcting = (None, None) if self._goes_on or control.aborting else self._read(output)
        says_more = bool(self._conversation.inbox) and not control.aborting
        if not (self._goes_on or fault or transcript.calls or says_more):
            self._finish(output)
        yield MessageDeltaOutput(end, output.finish_reason, output.usage, self._depth, self._link.name)
        yield output
        if self._goes_on and not control.cut:
            async with aclosing(self._run_calls()) as items:
                async for item in items:
                    yield item
        for item in transcript.answer_rest(not_run(end.finish_reason.type, aborted=control.aborting)):
            yield item
        if correcting is not None:
            self._conversation.history.append(correcting)
            yield MessageAdded(correcting, "correction")
            self._goes_on = True
        yield TurnEnd(self._turn)
        if fault is not None and correcting is None:
            raise fault
        self._conversation.full = self._link.hooks.is_full(output)
        if await self._is_over(output, end.finish_reason):
            self.ended = not self._goes_on and not control.aborting
            self._finish(output)
            reason = ABORTED if control.aborting else end.finish_reason
            self.summary = RunSummary(self._turn, reason, transcript.usage)

    async def _run_calls(self) -> AsyncGenerator[Item, None]:
        """Run the calls; yield their events as they come, and each result once those before it have been yielded."""
        transcript = self._transcript
        self.control.runner = runner = self._make_runner()
        runner.start()
        ended: dict[int, Message] = {}
        try:
            async for position, event in runner.events:
                if isinstance(event, ToolStart):
                    self.pending.add(event.id)
                elif isinstance(event, ToolEnd):
                    self.pending.discard(event.id)
                yield event
                if isinstance(event, ToolEnd):
                    ended[position] = event.message
                    while len(transcript.answers) in ended:
                        at = len(transcript.answers)
                        for item in transcript.answer(ended[at], runner.usages[at]):
                            yield item
            runner.check()
            self._ends = runner.terminates
        finally:
            self.pending.clear()
            await runner.aclose()
        self.control.runner = None
        # What has no result was cancelled from outside.
        for item in transcript.answer_rest(CUT_OFF, runner.results, runner.usages):
            yield item

    def _make_runner(self) -> ToolRunner:
        transcript = self._transcript
        made_by = len(transcript.history)  # which only grows while tools run
        return ToolRunner(
            self._link.functions,
            transcript.calls,
            self._report,
            rules=self._link.rules,
            source_agent=self._link.name,
            depth=self._depth,
            messages=lambda: tuple(transcript.history[:made_by]),
            count=transcript.count,
        )

    async def _is_over(self, output: MessageOutput, finish_reason: FinishReason) -> bool:
        """Whether the run ends after this turn; else what the hook changes is changed for the next one."""
        control, conversation = self.control, self._conversation
        if control.aborting or self._ends or not (self._goes_on or conversation.inbox):
            return True
        if self._settled:  # it seemed to be the last turn, but the user has said something since
            if conversation.holder is not None:
                return True
            self._settled, conversation.holder = False, self
        hooks = self._link.hooks
        if hooks.should_stop is None and hooks.prepare_next_turn is None:
            return False
        transcript = self._transcript
        turn = Turn(
            self._turn, output.message, finish_reason, transcript.answers, transcript.usage, list(transcript.history)
        )
        if hooks.should_stop is not None and await control.call(hooks.should_stop, turn):
            return True
        if hooks.prepare_next_turn is not None and not control.aborting:
            self._link.change(await control.call(hooks.prepare_next_turn, turn))
        return control.aborting

    def _will_shorten(self, error: StreamkitError) -> bool:
        """Whether the model is asked once more with a shorter conversation, after this error."""
        if self._shortened or self._link.hooks.compact is None or not isinstance(error, ContextOverflow):
            return False
        self._shortened = self._conversation.full = True
        return True

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

    def _finish(self, output: MessageOutput | None) -> None:
        self.settle()
        self._tell_end(output, None)

    def _tell_end(self, output: MessageOutput | None, error: BaseException | None) -> None:
        """Tell the observer, the first time."""
        report, self._report = self._report, None
        if report is not None:
            report.ended(output, self._transcript.usage, error)


def _goes_on(finish_reason: FinishReason, calls: list[FunctionPart]) -> bool:
    """Whether the model is asked again: it made calls, or its provider paused a long turn of server tools.

    https://docs.anthropic.com/en/docs/build-with-claude/handling-stop-reasons, checked 2026-11-29. Calls are run on
    `tool_call` alone: after any other finish they may be cut short.
    """
    return finish_reason.type == "tool_call" if calls else finish_reason.raw == "pause_turn"
