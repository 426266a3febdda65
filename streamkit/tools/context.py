"""What a tool is told of the call that it answers."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Generator
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from streamkit.messages import Message
    from streamkit.usage import Usage

__all__ = ["ToolContext"]

Send: TypeAlias = "Callable[[Any], Awaitable[None]]"


class ToolContext:
    """What a tool is told of its call, where a parameter of its function is annotated so.

    `call_id` and `name` are those of the call, `source_agent` and `depth` say which agent runs it and how many agents
    stand above that one. In a run `messages` is the conversation up to the message that made the call, and `aborted`
    turns true when the run is being ended, so that a function in a thread can end too. One made by hand, for a test of
    a tool, reports to nobody.
    """

    def __init__(
        self,
        call_id: str,
        name: str,
        *,
        source_agent: str = "agent",
        depth: int = 0,
        messages: Callable[[], tuple[Message, ...]] = tuple,
        update: Send | None = None,
        forward: Send | None = None,
        aborted: Callable[[], bool] = bool,
        count: Callable[[Usage | None], None] | None = None,
    ) -> None:
        self.call_id = call_id
        self.name = name
        self.source_agent = source_agent
        self.depth = depth
        self._read_messages = messages
        self._messages: tuple[Message, ...] | None = None
        self._update = update or _Nowhere
        self._forward = forward or _Nowhere
        self._aborted = aborted
        self._count = count

    @property
    def messages(self) -> tuple[Message, ...]:
        """The conversation up to the message that made the call; no later change of the history is seen in it."""
        if self._messages is None:
            self._messages = self._read_messages()
        return self._messages

    @property
    def aborted(self) -> bool:
        """Whether nobody waits for the result any more."""
        return self._aborted()

    def update(self, value: Any) -> Awaitable[None]:
        """Report progress, any JSON value; await it: where nobody reads the reports, it waits.

        After the call has been answered it does nothing. In a thread: `anyio.from_thread.run(context.update, value)`.
        """
        return self._update(value)

    def __repr__(self) -> str:
        return f"<ToolContext of {self.name} {self.call_id!r}>"


class _Nowhere:
    """Awaited, it is done."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def __await__(self) -> Generator[Any, Any, None]:
        return
        yield
