"""What a run adds to its conversation, and that the conversation is whole whenever the run ends."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import zip_longest
from typing import TypeAlias, Union

from msgspec import structs

from streamkit.agent.history import Conversation, says_anything
from streamkit.agent.results import RESULT_END, result_deltas, result_message
from streamkit.deltas import Delta, MessageDeltaOutput
from streamkit.messages import Message, MessageOutput
from streamkit.parts import FunctionPart
from streamkit.usage import Usage

__all__ = ["Output", "Transcript"]

# A message, and its pieces.
Output: TypeAlias = Union[MessageDeltaOutput, MessageOutput]


class Transcript:
    """The part of one run in an agent's conversation.

    The history is only ever added to at the moments when it is whole: a message of the model when it is complete, a
    result when it is passed on. `calls` are those of the newest message, `answers` the results that they have so far,
    in their order; `usage` is what the run has used.
    """

    def __init__(
        self,
        conversation: Conversation,
        name: str,
        depth: int,
        activate: Callable[[Iterable[str]], None],
        count: Callable[[Usage | None], None] | None = None,
    ) -> None:
        """`activate` is told the names of tools that a result brings, `count` as well what was used."""
        self.history = conversation.history
        self.calls: list[FunctionPart] = []
        self.answers: list[Message] = []
        self.usage: Usage | None = None
        self._conversation = conversation
        self._name = name
        self._depth = depth
        self._activate = activate
        self._also_count = count

    def piece(self, delta: Delta) -> MessageDeltaOutput:
        """Return what is yielded of a delta."""
        return MessageDeltaOutput(delta, None, None, self._depth, self._name)

    def add(self, output: MessageOutput) -> MessageOutput:
        """Take a message of the model's with what it has used; return it as this agent's.

        One that was cut off before it said anything has no place in a history.
        """
        self.count(output.usage)
        self.calls, self.answers = output.message.tool_calls or [], []
        whole = output.finish_reason is not None and output.finish_reason.type != "aborted"
        if whole or says_anything(output.message):
            self.history.append(output.message)
        return self._signed(output)

    def answer(self, message: Message, usage: Usage | None = None) -> Iterator[Output]:
        """Take the answer to the first call that has none, and what its tool has used; return what is yielded of it."""
        self.count(usage)
        self.history.append(message)
        self.answers.append(message)
        if message.meta is not None and message.meta.added_tool_names:
            self._activate(message.meta.added_tool_names)
        *deltas, end = result_deltas(message, usage)
        yield from (self.piece(delta) for delta in deltas)
        yield MessageDeltaOutput(end, RESULT_END, usage, self._depth, self._name)
        yield self._signed(MessageOutput(message, RESULT_END, usage))

    def answer_rest(
        self, text: str, results: Sequence[Message | None] = (), usages: Sequence[Usage | None] = ()
    ) -> Iterator[Output]:
        """Answer the calls that have none, by the `results` of all as far as there are any, else by the same text."""
        for call, result, usage in list(zip_longest(self.calls, results, usages))[len(self.answers) :]:
            yield from self.answer(result or result_message(call, text, failed=True), usage)

    def count(self, usage: Usage | None) -> None:
        """Add to what was used."""
        if usage is not None:
            self.usage = self.usage + usage if self.usage else usage
            self._conversation.usage += usage
            if self._also_count is not None:
                self._also_count(usage)

    def _signed(self, output: MessageOutput) -> MessageOutput:
        return structs.replace(output, source_agent=self._name, depth=self._depth)
