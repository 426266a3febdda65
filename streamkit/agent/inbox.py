"""What a user says while an agent is at work: it waits for its place in the run."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import Literal, TypeAlias, get_args

from streamkit.errors import ConfigError
from streamkit.messages import Message

__all__ = ["Inbox", "Queue", "QueueMode"]

QueueMode: TypeAlias = Literal["all", "one-at-a-time"]


class Queue:
    """Messages in the order in which they came; `take` gives the next one, or by the mode `all` every one."""

    def __init__(self, mode: QueueMode) -> None:
        if mode not in get_args(QueueMode):
            raise ConfigError(f"there is no queue mode {mode!r}: there are {', '.join(get_args(QueueMode))}")
        self.mode = mode
        self._waiting: deque[Message] = deque()

    def put(self, message: Message) -> None:
        """Add a message."""
        self._waiting.append(message)

    def take(self) -> list[Message]:
        """Return what is to be said now, none where nothing waits."""
        if self.mode == "all":
            return self.clear()
        return [self._waiting.popleft()] if self._waiting else []

    def clear(self) -> list[Message]:
        """Return all that waits, and forget it."""
        taken = list(self._waiting)
        self._waiting.clear()
        return taken

    def __iter__(self) -> Iterator[Message]:
        return iter(self._waiting)

    def __len__(self) -> int:
        return len(self._waiting)


class Inbox:
    """The two queues of an agent: `steering` for its next turn, `follow_ups` for when it would stop."""

    def __init__(self, steering: QueueMode, follow_ups: QueueMode) -> None:
        self.steering = Queue(steering)
        self.follow_ups = Queue(follow_ups)

    def __iter__(self) -> Iterator[Message]:
        """What waits, `steering` first."""
        yield from self.steering
        yield from self.follow_ups

    def clear(self) -> list[Message]:
        """Return all that waits, and forget it."""
        return self.steering.clear() + self.follow_ups.clear()

    def __len__(self) -> int:
        return len(self.steering) + len(self.follow_ups)
