"""What an application adds to the loop: what the model is shown, and what happens between two turns."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar

import msgspec

from streamkit.agent.history import make_whole
from streamkit.agent.turns import Compact, ConvertToLlm, NextTurn, PrepareNextTurn, ShouldStop, TransformContext
from streamkit.errors import ConfigError
from streamkit.messages import Message, MessageOutput, as_message
from streamkit.protocols.failures import is_overflow

__all__ = ["COMPACT_AT", "Hook", "Hooks", "check_function"]

T = TypeVar("T")

# From how much of the window on a conversation is made shorter: what is left takes an answer and the results of tools.
COMPACT_AT = 0.8


class Hook(Generic[T]):
    """A function of the user's, and what it is to give: `read` takes that, and raises `ConfigError` for all else."""

    def __init__(self, name: str, function: Callable[..., Any], read: Callable[[str, Any], T]) -> None:
        check_function(name, function)
        self.function = function
        self._name = name
        self._read = read

    def read(self, given: Any) -> T:
        """Return what the function gave."""
        return self._read(self._name, given)


class Hooks:
    """The hooks of an agent, each plain or async, and the size of its model's window in tokens.

    `transform` is given a copy of the conversation and returns what of it is sent; `convert` then makes it messages
    that providers know. `compact` is given a copy too, and returns the conversation that takes the place of the old
    one: a call in it without its result is answered by that, a result without its call becomes a user message with the
    same parts, and the agent's instruction stands at its front again where it has no system message. `should_stop` and
    `prepare_next_turn` are given the `Turn` that is over, where another would follow. One that gives what it is not to
    give ends the run by a `ConfigError` that names it, and the conversation stays as it was.
    """

    def __init__(
        self,
        transform: TransformContext | None = None,
        convert: ConvertToLlm | None = None,
        compact: Compact | None = None,
        should_stop: ShouldStop | None = None,
        prepare_next_turn: PrepareNextTurn | None = None,
        *,
        window: int | None = None,
        compact_at: float = COMPACT_AT,
    ) -> None:
        if window is not None and window < 1:
            raise ConfigError(f"a context_window is a number of tokens, not {window}")
        if not 0 < compact_at <= 1:
            raise ConfigError(f"compact_at is a share of the window, more than 0 and 1 at most, not {compact_at}")
        self.transform = _hook("transform_context", transform, _messages)
        self.convert = _hook("convert_to_llm", convert, _messages)
        self.compact = _hook("compact", compact, _conversation)
        self.should_stop = _hook("should_stop", should_stop, _decision)
        self.prepare_next_turn = _hook("prepare_next_turn", prepare_next_turn, _next_turn)
        self.window = window
        self._compact_at = compact_at

    def is_full(self, output: MessageOutput) -> bool:
        """Whether the conversation should be made shorter after this answer."""
        if self.compact is None:
            return False
        if is_overflow(output, self.window):
            return True
        used = (output.usage and output.usage.total_tokens) or 0
        return self.window is not None and used >= self._compact_at * self.window


def check_function(name: str, hook: Any) -> None:
    """Raise `ConfigError` for what cannot be asked."""
    if not callable(hook):
        raise ConfigError(f"{name} is a function, plain or async, not {_kind(hook)}")


def _hook(name: str, function: Callable[..., Any] | None, read: Callable[[str, Any], T]) -> Hook[T] | None:
    return None if function is None else Hook(name, function, read)


def _messages(name: str, given: Any) -> list[Message]:
    if not isinstance(given, (list, tuple)):
        raise ConfigError(f"{name} gave {_kind(given)}, not a list of messages")
    messages = []
    for number, value in enumerate(given):
        try:
            messages.append(as_message(value))
        except (msgspec.ValidationError, TypeError) as error:
            raise ConfigError(f"{name} gave a list that holds what is no message, item {number}: {error}") from None
    return messages


def _conversation(name: str, given: Any) -> list[Message]:
    messages = _messages(name, given)
    if not messages:
        raise ConfigError(f"{name} gave an empty list, not the messages that take the conversation's place")
    return make_whole(messages)


def _decision(name: str, given: Any) -> bool:
    if given is not None and not isinstance(given, bool):
        raise ConfigError(f"{name} gave {_kind(given)}, not True, False or None")
    return bool(given)


def _next_turn(name: str, given: Any) -> NextTurn | None:
    if given is None:
        return None
    if not isinstance(given, NextTurn):
        raise ConfigError(f"{name} gave {_kind(given)}, not a NextTurn or None")
    try:
        return msgspec.convert(msgspec.structs.asdict(given), NextTurn)
    except msgspec.ValidationError as error:
        raise ConfigError(f"{name} gave a NextTurn with a field of another type: {error}") from None


def _kind(given: Any) -> str:
    return "None" if given is None else type(given).__name__
