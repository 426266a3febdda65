"""A conversation made acceptable to any provider, and who may read what in it.

Providers refuse a whole request over one call without a result, one result without a call, or one call id of the wrong
form. Such histories are everyday: an agent was interrupted, a window slid over them, another vendor wrote them. What
is fitted here is all that has to be the same for every dialect.
"""

from __future__ import annotations

import hashlib
import re
import warnings
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Sequence

from msgspec import structs

from streamkit.errors import ConfigError, HistoryWarning
from streamkit.messages import Message, Meta
from streamkit.parts import FunctionPart, TextPart

__all__ = ["NO_RESULT", "fit_history", "is_own"]

# What answers a call that nothing answered.
NO_RESULT = "No result: the call was interrupted."


def is_own(message: Message, protocol: str, provider: str = "") -> bool:
    """Whether what only its origin can read (signatures, encrypted parts, extras) may be sent with `message`.

    True where the origin is unknown, or is this dialect and, where both are named, this provider.
    """
    origin = message.meta.origin if message.meta else None
    if origin is None or not (origin.protocol or origin.provider):
        return True
    if origin.protocol and origin.protocol != protocol:
        return False
    return not (provider and origin.provider) or origin.provider == provider


def fit_history(messages: Sequence[Message], id_pattern: str = "") -> list[Message]:
    """Return the conversation with every call followed at once by exactly one result.

    A result that stands elsewhere after its call is moved there; a result without an id answers the next call that
    has none. A call without a result gets one that says so (`NO_RESULT`). A result that answers no call is left out
    with a `HistoryWarning`: no provider takes it, and the conversation goes on without it.

    Ids that do not match `id_pattern` (a regular expression for the whole id), are empty or occurred before are
    replaced, the same way each time, on the call and on its result. Raises `ConfigError` where no id can be made for
    the pattern.
    """
    results = _Results(messages)
    ids = _CallIds(id_pattern)
    out: list[Message] = []
    for at, message in enumerate(messages):
        if message.role == "tool":
            continue
        calls = message.tool_calls if message.role == "assistant" else None
        if not calls:
            out.append(message)
            continue
        fitted = [structs.replace(call, id=ids.take(call.id)) for call in calls]
        out.append(message if fitted == calls else structs.replace(message, tool_calls=fitted))
        for call, answer in zip(fitted, results.of(calls, at), strict=True):
            out.append(_missing(call) if answer is None else structs.replace(answer, id=call.id))
    results.warn_of_strays()
    return out


class _Results:
    """The tool messages of a conversation, each to be given out once."""

    def __init__(self, messages: Sequence[Message]) -> None:
        self._messages = messages
        self._free = {at for at, message in enumerate(messages) if message.role == "tool"}
        self._by_id: dict[str, list[int]] = defaultdict(list)
        self._callers: dict[str, list[int]] = defaultdict(list)
        for at, message in enumerate(messages):
            if message.role == "tool" and message.id:
                self._by_id[message.id].append(at)
            for call in message.tool_calls or ():
                self._callers[call.id].append(at)

    def of(self, calls: Sequence[FunctionPart], at: int) -> list[Message | None]:
        """Return the result of each of the calls that the message at `at` makes."""
        places = [self._named(call.id, at) for call in calls]
        unnamed = iter(self._unnamed(at))
        return [
            None if place is None else self._take(place)
            for place in (next(unnamed, None) if place is None else place for place in places)
        ]

    def warn_of_strays(self) -> None:
        for at in sorted(self._free):
            name = self._messages[at].id
            what = f"for the call {name!r}" if name else "without a call id"
            warnings.warn(
                f"message {at} is a tool's result {what}, which no message before it makes: it is left out",
                HistoryWarning,
                stacklevel=2,
            )

    def _named(self, id: str, at: int) -> int | None:
        callers, places = self._callers[id], self._by_id.get(id, [])
        later = bisect_right(callers, at)
        end = callers[later] if later < len(callers) else len(self._messages)
        for number in range(bisect_right(places, at), len(places)):
            place = places[number]
            if place >= end:
                break
            if place in self._free:
                self._free.discard(place)
                return place
        return None

    def _unnamed(self, at: int) -> list[int]:
        """The results without an id that directly follow the message at `at`."""
        out = []
        for place in range(at + 1, len(self._messages)):
            if self._messages[place].role != "tool":
                break
            if not self._messages[place].id and place in self._free:
                out.append(place)
        return out

    def _take(self, place: int) -> Message:
        self._free.discard(place)
        return self._messages[place]


class _CallIds:
    """Ids that are unique in a conversation and match a pattern."""

    def __init__(self, pattern: str) -> None:
        self._pattern = re.compile(pattern or ".+", re.DOTALL)
        self._taken: set[str] = set()
        self._turns: dict[str, int] = {}  # of each id that was replaced, which replacement is next

    def take(self, id: str) -> str:
        if id in self._taken or not self._pattern.fullmatch(id):
            id = self._made(id)
        self._taken.add(id)
        return id

    def _made(self, id: str) -> str:
        first = self._turns.get(id, 0)
        for turn in range(first, first + len(self._taken) + 1):
            digest = hashlib.sha256(f"{turn}:{id}".encode("utf-8", "surrogatepass")).hexdigest()
            forms = (f"call_{digest[:24]}", digest[:24], digest[:9], digest)
            form = next((form for form in forms if self._pattern.fullmatch(form)), None)
            if form is None:
                raise ConfigError(f"no call id can be made that matches the pattern {self._pattern.pattern!r}")
            if form not in self._taken:
                self._turns[id] = turn + 1
                return form
        raise ConfigError(f"no free call id is left for the pattern {self._pattern.pattern!r}")


def _missing(call: FunctionPart) -> Message:
    return Message("tool", [TextPart(NO_RESULT)], id=call.id, meta=Meta(is_error=True))
