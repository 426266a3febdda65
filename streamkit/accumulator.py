"""Deltas → complete messages, for every provider.

A fragment costs one list append; text is joined, and arguments are parsed, when somebody reads them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeVar, cast

from msgspec import structs

from streamkit.assembly import OpenBlock, assemble
from streamkit.deltas import (
    AudioDelta,
    BlockAdded,
    CitationAdded,
    Delta,
    Logprobs,
    MessageEnd,
    MessageStart,
    RawFrame,
    RefusalDelta,
    RefusalEnd,
    RefusalStart,
    Replace,
    Retract,
    TextDelta,
    TextEnd,
    TextStart,
    ThinkingDelta,
    ThinkingEnd,
    ThinkingStart,
    ToolCallDelta,
    ToolCallEnd,
    ToolCallStart,
    UnknownFrame,
    UsageSnapshot,
)
from streamkit.errors import ProtocolError
from streamkit.messages import FinishReason, MessageOutput
from streamkit.usage import Usage

__all__ = ["Accumulator", "accumulate", "coalesce"]


class Accumulator:
    """Folds the deltas of one response into its messages, one for each choice.

    The first choice is the one of n that most callers want: 0, or the lowest where a server numbers them otherwise.

    `snapshot` may be called at any moment and is not changed by what follows; it costs as much as joining the text.
    """

    def __init__(self) -> None:
        self._reset()
        self._retracted: Usage | None = None

    def feed(self, delta: Delta) -> None:
        """Take in one delta; raises `ProtocolError` for one that refers to a block that is not there."""
        kind = type(delta)
        try:
            if kind is TextDelta or kind is ThinkingDelta or kind is RefusalDelta:
                if delta.choice:  # type: ignore[union-attr] # a chain of `is` narrows nothing, isinstance is slower
                    self._choices[delta.choice].pieces[delta.index].append(delta.text)  # type: ignore[union-attr] # as above
                else:
                    self._pieces[delta.index].append(delta.text)  # type: ignore[union-attr] # as above
            elif kind is ToolCallDelta:
                call = cast(ToolCallDelta, delta)
                self._choices[call.choice].pieces[call.index].append(call.arguments)
            else:
                _HANDLERS[kind](self, delta)
        except KeyError:
            raise ProtocolError(f"a delta refers to a block or choice that never started: {delta!r}") from None

    def snapshot(self) -> MessageOutput:
        """Return the first choice as it is now; `finish_reason` is None while it has not ended."""
        return self._output(self._begun()[0], first=True)

    def finish(self) -> MessageOutput:
        """Return the first choice; where no `MessageEnd` came, its finish reason is `other` and synthesized."""
        return self._finished(self._begun()[0], first=True)

    def outputs(self) -> list[MessageOutput]:
        """Return every choice in order, as `finish` would."""
        return [self._finished(choice, first=at == 0) for at, choice in enumerate(self._begun())]

    def partial_arguments(self, index: int, choice: int = 0) -> Any:
        """Return what the arguments of the call at `index` say so far.

        The object is live: it grows with later calls. Parsing is incremental, so reading after every delta costs
        no more than the new text. None where nothing has been said; raises `ProtocolError` where there is no such
        call.
        """
        state = self._choices.get(choice)
        block = state.blocks.get(index) if state else None
        if block is None or block.kind != "tool_call":
            raise ProtocolError(f"there is no call at index {index} of choice {choice}")
        return block.partial_arguments()

    def _begun(self) -> list[int]:
        """The choices that have begun, in order; choice 0 where none has."""
        return sorted(choice for choice, state in self._choices.items() if choice or state.begun) or [0]

    def _finished(self, choice: int, *, first: bool) -> MessageOutput:
        output = self._output(choice, first=first)
        if output.finish_reason is None:
            output.finish_reason = FinishReason("other", synthesized=True)
        return output

    def _output(self, choice: int, *, first: bool) -> MessageOutput:
        state = self._choices[choice]
        start, end = state.start, state.end
        if end is not None and end.model is not None:
            start = structs.replace(start, model=end.model)
        output = MessageOutput(assemble(start, list(state.blocks.values())))
        if end is not None:
            output.finish_reason, output.extra = end.finish_reason, end.extra
        output.model, output.provider = start.model, start.provider
        output.id = start.id if start.role != "tool" else None
        output.logprobs = state.logprobs and list(state.logprobs)
        output.refusal_logprobs = state.refusal_logprobs and list(state.refusal_logprobs)
        if first:
            output.usage = _plus(self._retracted, self._usage)
        return output

    def _reset(self) -> None:
        self._choices: dict[int, _Choice] = {0: _Choice()}
        self._pieces = self._choices[0].pieces  # of choice 0, which nearly every delta is for
        self._usage: Usage | None = None

    # The rarer deltas.

    def _message_start(self, delta: MessageStart) -> None:
        if delta.choice not in self._choices:
            self._choices[delta.choice] = _Choice()
        self._choices[delta.choice].start = delta

    def _message_end(self, delta: MessageEnd) -> None:
        self._choices[delta.choice].end = delta

    def _open(self, delta: TextStart | ThinkingStart | RefusalStart | ToolCallStart) -> None:
        block = OpenBlock(_KINDS[type(delta)])
        if isinstance(delta, ToolCallStart):
            block.id, block.name, block.custom = delta.id, delta.name, delta.custom
        self._choices[delta.choice].add(delta.index, block)

    def _close(self, delta: TextEnd | ThinkingEnd | RefusalEnd | ToolCallEnd) -> None:
        block = self._choices[delta.choice].blocks[delta.index]
        block.closed, block.signature, block.extra = True, delta.signature, delta.extra

    def _block_added(self, delta: BlockAdded) -> None:
        block = OpenBlock("part")
        block.part, block.closed = delta.part, True
        block.signature, block.extra = delta.signature, delta.extra
        self._choices[delta.choice].add(delta.index, block)

    def _audio(self, delta: AudioDelta) -> None:
        choice = self._choices[delta.choice]
        if delta.index == len(choice.blocks):
            choice.add(delta.index, OpenBlock("audio"))
        block = choice.blocks[delta.index]
        block.audio.append(delta.data)
        block.pieces.append(delta.transcript)
        block.id = delta.id or block.id
        block.expires_at = delta.expires_at or block.expires_at
        block.format = delta.format or block.format

    def _citation(self, delta: CitationAdded) -> None:
        self._choices[delta.choice].blocks[delta.index].citations.append(delta.citation)

    def _logprobs(self, delta: Logprobs) -> None:
        choice = self._choices[delta.choice]
        if delta.content:
            choice.logprobs = choice.logprobs or []
            choice.logprobs += delta.content
        if delta.refusal:
            choice.refusal_logprobs = choice.refusal_logprobs or []
            choice.refusal_logprobs += delta.refusal

    def _replace(self, delta: Replace) -> None:
        self._choices[delta.choice].blocks[delta.index].replace(delta.text)

    def _usage_snapshot(self, delta: UsageSnapshot) -> None:
        self._usage = self._usage.merge(delta.usage) if self._usage else delta.usage

    def _retract(self, delta: Retract) -> None:
        self._retracted = _plus(self._retracted, self._usage)  # it was spent all the same
        self._reset()

    def _frame(self, delta: UnknownFrame | RawFrame) -> None:
        """A frame has no place in a message."""


_NOT_STARTED = MessageStart()


class _Choice:
    """What one of n answers has so far."""

    __slots__ = ("blocks", "end", "logprobs", "pieces", "refusal_logprobs", "start")

    def __init__(self) -> None:
        self.start = _NOT_STARTED
        # By index and in its order; dicts, since in a list the index -1 would be the last block.
        self.blocks: dict[int, OpenBlock] = {}
        self.pieces: dict[int, list[str]] = {}  # of each block, for the hot path
        self.end: MessageEnd | None = None
        self.logprobs: list[Any] | None = None
        self.refusal_logprobs: list[Any] | None = None

    @property
    def begun(self) -> bool:
        """Whether anything has come for it."""
        return self.start is not _NOT_STARTED or bool(self.blocks) or self.end is not None

    def add(self, index: int, block: OpenBlock) -> None:
        if index != len(self.blocks):
            raise ProtocolError(f"block {index} starts, but the next one is {len(self.blocks)}: deltas were lost")
        self.blocks[index] = block
        self.pieces[index] = block.pieces


_HANDLERS: dict[type, Callable[[Accumulator, Any], None]] = {
    MessageStart: Accumulator._message_start,
    MessageEnd: Accumulator._message_end,
    TextStart: Accumulator._open,
    ThinkingStart: Accumulator._open,
    RefusalStart: Accumulator._open,
    ToolCallStart: Accumulator._open,
    TextEnd: Accumulator._close,
    ThinkingEnd: Accumulator._close,
    RefusalEnd: Accumulator._close,
    ToolCallEnd: Accumulator._close,
    BlockAdded: Accumulator._block_added,
    AudioDelta: Accumulator._audio,
    CitationAdded: Accumulator._citation,
    Logprobs: Accumulator._logprobs,
    Replace: Accumulator._replace,
    UsageSnapshot: Accumulator._usage_snapshot,
    Retract: Accumulator._retract,
    UnknownFrame: Accumulator._frame,
    RawFrame: Accumulator._frame,
}

_KINDS = {TextStart: "text", ThinkingStart: "thinking", RefusalStart: "refusal", ToolCallStart: "tool_call"}


def accumulate(deltas: Iterable[Delta]) -> MessageOutput:
    """Return the message (the first choice) that the deltas of one response make."""
    accumulator = Accumulator()
    for delta in deltas:
        accumulator.feed(delta)
    return accumulator.finish()


def coalesce(deltas: Iterable[Delta]) -> list[Delta]:
    """Return fewer, larger deltas with the same meaning: neighbouring pieces of one block become one."""
    out: list[Delta] = []
    run: list[Any] = []  # neighbours of one type, block and choice
    for delta in deltas:
        kind = type(delta)
        if kind not in _FRAGMENTS:
            _join(run, out)
            run = []
            out.append(delta)
        elif run and kind is type(run[0]) and _place(delta) == _place(run[0]):
            run.append(delta)
        else:
            _join(run, out)
            run = [delta]
    _join(run, out)
    return out


_FRAGMENTS: dict[type, str] = {
    TextDelta: "text",
    ThinkingDelta: "text",
    RefusalDelta: "text",
    ToolCallDelta: "arguments",
}

_D = TypeVar("_D")


def _place(delta: Any) -> tuple[int, int]:
    return delta.index, delta.choice


def _join(run: list[Any], out: list[Delta]) -> None:
    if len(run) == 1:
        out.append(run[0])
    elif run:
        first = run[0]
        text = "".join([getattr(delta, _FRAGMENTS[type(first)]) for delta in run])
        out.append(type(first)(first.index, text, choice=first.choice))


def _plus(a: Usage | None, b: Usage | None) -> Usage | None:
    return a + b if a and b else a or b
