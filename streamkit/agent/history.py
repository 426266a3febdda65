"""The conversation that an agent keeps, and that it is whole after whatever ended a run."""

from __future__ import annotations

import operator
from collections import Counter, deque
from collections.abc import Iterable, Iterator
from threading import get_ident
from typing import TYPE_CHECKING, TypeAlias, Union

import msgspec
from msgspec import structs

from streamkit.agent.inbox import Inbox
from streamkit.agent.results import CALL_LEFT_OUT, NOT_KEPT, RESULT_LEFT_OUT, result_message
from streamkit.errors import ConfigError
from streamkit.events import MessageAdded
from streamkit.messages import Message, MessageLike, Meta, as_message
from streamkit.parts import RefusalPart, TextPart
from streamkit.protocols.values import part_text
from streamkit.usage import Usage

if TYPE_CHECKING:
    from streamkit.agent.control import Control
    from streamkit.agent.loop import Loop

__all__ = ["Conversation", "History", "answer_open_calls", "load_history", "load_query", "make_whole", "says_anything"]

History: TypeAlias = Union[Iterable[MessageLike], str, bytes]


class Conversation:
    """What an agent and its runs share: the messages and what waits to be one, and the run that has them, if any."""

    def __init__(self, history: list[Message], inbox: Inbox) -> None:
        self.history = history
        self.inbox = inbox
        self.usage = Usage()
        self.holder: Loop | None = None
        self.full = False  # whether it is to be made shorter before the model is asked again
        self.error: str | None = None  # what ended the last run
        self._thread = 0  # of the event loop of the last run

    def begin(self, query: Message | None) -> bool:
        """Add the query, if there is one, with an answer to each open call; return whether there is one to be answered.

        One that nobody would answer is not added.
        """
        by_hand = query is not None and query.role == "tool"  # so it is the answer to one of the calls
        if not by_hand:
            answer_open_calls(self.history)
        said = self.history[-1:] if query is None else [query]
        goes_on = bool(said) and said[0].role in ("user", "tool")
        if query is not None and (goes_on or self.inbox):
            self.history.append(query)
        if by_hand:
            answer_open_calls(self.history)
        return goes_on

    def hold(self, run: Loop) -> None:
        """Give the conversation to a run, in the thread in which that is read."""
        self.holder, self.error, self._thread = run, None, get_ident()

    def control(self, call: str) -> Control | None:
        """How the run that is under way is cut off, if there is one; raises `ConfigError` in any thread but its own."""
        if self.holder is None:
            return None
        if get_ident() != self._thread:
            raise ConfigError(
                f"{call} speaks to a run of another thread's event loop: call it there, by anyio.from_thread.run_sync; "
                "a plain function that is a tool runs in a thread of its own"
            )
        return self.holder.control

    def hear(self, *, goes_on: bool) -> list[MessageAdded]:
        """Take what the user has said meanwhile into the history: what comes last only where nothing else `goes_on`."""
        said = [MessageAdded(message, "steering") for message in self.inbox.steering.take()]
        if not said and not goes_on:
            said = [MessageAdded(message, "follow_up") for message in self.inbox.follow_ups.take()]
        self.history += [added.message for added in said]
        return said

    def take_back(self, query: Message | None, heard: list[MessageAdded]) -> None:
        """Remove a query that nothing came after but what was `heard` with it, which stays."""
        end = [query, *(added.message for added in heard)]
        if len(self.history) >= len(end) and all(map(operator.is_, self.history[-len(end) :], end)):
            del self.history[-len(end)]


def load_history(saved: History | None, instruction: str | None = None) -> list[Message]:
    """Return a conversation that was kept as messages, as dicts, or as the JSON text of their list.

    `instruction` becomes a system message at its front, unless there is one already. Raises `ConfigError` for what
    is no conversation.
    """
    try:
        values = msgspec.json.decode(saved) if isinstance(saved, (str, bytes)) else saved or ()
        if isinstance(values, dict):
            raise ConfigError("a history is a list of messages, not one message")
        history = [as_message(value) for value in values]
    except (msgspec.DecodeError, TypeError) as error:
        raise ConfigError(f"the history cannot be read: {error}") from None
    if instruction is not None and not (history and history[0].role == "system"):
        history.insert(0, Message("system", [TextPart(instruction)]))
    return history


def load_query(query: MessageLike) -> Message:
    """Return what the user says as a message; raises `ConfigError` for what is none."""
    try:
        return as_message(query)
    except (msgspec.ValidationError, TypeError) as error:
        raise ConfigError(f"the query is no message: {error}") from None


def answer_open_calls(history: list[Message]) -> None:
    """Answer the calls at the end of a conversation that have no result: whoever ran them ended before they did.

    As in a request, a result without an id is that of the next call that has none.
    """
    start = len(history)
    while start and history[start - 1].role == "tool":
        start -= 1
    calls = (history[start - 1].tool_calls or []) if start else []
    answered = Counter(message.id or "" for message in history[start:])
    for call in calls:
        id = call.id if answered[call.id] else ""
        if answered[id]:
            answered[id] -= 1
        else:
            history.append(result_message(call, NOT_KEPT, failed=True))


def make_whole(messages: Iterable[Message]) -> list[Message]:
    """Return a conversation that was made shorter, with each call followed at once by its result.

    A call whose result was left out is answered by that (`RESULT_LEFT_OUT`). A result whose call was left out, which no
    provider takes, becomes a user message that says what it is and holds its parts.
    """
    groups = [_Group()]
    places: dict[str, list[tuple[_Group, int]]] = {}  # of the newest calls of each id that have no result
    for message in messages:
        if message.role != "tool":
            groups.append(_Group(message))
            places.update({call.id: [] for call in groups[-1].calls})
            for number, call in enumerate(groups[-1].calls):
                places[call.id].append((groups[-1], number))
        elif message.id and places.get(message.id):
            group, number = places[message.id].pop(0)
            group.answers[number] = message
        else:
            groups[-1].rest.append(message)
    return [message for group in groups for message in group.whole()]


def says_anything(message: Message) -> bool:
    """Whether a message that was cut off has anything in it that was shown."""
    if message.thinking or message.tool_calls or message.blocks:
        return True
    return any(not isinstance(part, (TextPart, RefusalPart)) or part.text for part in message.contents)


class _Group:
    """A message, the results of its calls, and the `rest` of those that follow it."""

    def __init__(self, message: Message | None = None) -> None:
        self.message = message
        self.calls = (message.tool_calls or []) if message is not None else []
        self.answers: list[Message | None] = [None] * len(self.calls)
        self.rest: list[Message] = []

    def whole(self) -> Iterator[Message]:
        if self.message is not None:
            yield self.message
        unnamed = deque(message for message in self.rest if not message.id)
        for call, answer in zip(self.calls, self.answers, strict=True):
            if answer is None and unnamed:
                answer = structs.replace(unnamed.popleft(), id=call.id)
            yield answer or result_message(call, RESULT_LEFT_OUT, failed=True)
        yield from map(_as_said, unnamed)
        yield from (_as_said(message) for message in self.rest if message.id)


def _as_said(result: Message) -> Message:
    meta = result.meta or Meta()
    kept = structs.replace(meta, name=None, is_error=False)
    parts = [part if (text := part_text(part)) is None else TextPart(text) for part in result.contents]
    told = TextPart(CALL_LEFT_OUT[meta.is_error].format(meta.name or "a tool"))
    return Message("user", [told, *parts], meta=None if kept == Meta() else kept)
