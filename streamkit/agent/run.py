"""What `agent.run` and its like return: an async iterator that is also a context manager."""

from __future__ import annotations

from collections import deque
from collections.abc import Awaitable, Callable, Generator
from types import AsyncGeneratorType, TracebackType
from typing import TYPE_CHECKING, Any, Generic, Self, TypeVar, cast

from streamkit.agent.floor import Floor
from streamkit.agent.loop import Item, Loop
from streamkit.agent.transcript import Output
from streamkit.deltas import MessageDeltaOutput
from streamkit.errors import ConfigError
from streamkit.events import Event, OutputDelta, OutputEnd, SubAgent
from streamkit.messages import MessageOutput
from streamkit.transport.background import hold

if TYPE_CHECKING:
    from streamkit.agent.agent import Agent

__all__ = ["EventRun", "Run", "TypedEventRun", "TypedRun"]

T = TypeVar("T")
ValueT = TypeVar("ValueT")


class Run(Generic[T]):
    """One run of an agent, which starts with the first item that is asked for.

    `async for` reads it, once. It may be left at any item: under `async with`, or by `aclose`, connections and tools
    have ended when the block has; after a bare `break` they end in the background as soon as nothing refers to the
    run. The history is whole and the agent free in either case. Raises `ConfigError` at the start where the agent is
    in another run.
    """

    def __init__(self, agent: Agent, loop: Loop, kind: type[T] | None = None) -> None:
        self._agent = agent
        self._loop = loop
        self._kind = kind
        self._items: AsyncGeneratorType[Item, None] | None = None
        self._floor: Floor | None = None  # once another agent has said something
        self._said: deque[Output] = deque()  # by those who have it, and was not asked for yet
        self._next: Callable[[], Awaitable[Item]] | None = None
        self._release: Callable[[], None]

    def __aiter__(self) -> Self:
        if self._next is not None and not self._is_live():
            raise ConfigError("a run is read once: what it said is in the agent's history")
        if self._items is not None and self._items.ag_running:
            raise ConfigError("the run is being read by another task: one reads it, and tells the others")
        return self

    def __await__(self) -> Generator[Any, Any, Any]:
        raise ConfigError("a run is no awaitable: read it by `async for`, or await `client.send` for one answer")

    async def __anext__(self) -> T:
        following = self._next or self._start()
        while True:
            if self._said:
                item: Any = self._said.popleft()
            else:
                item = await following()
                if self._floor is not None or type(item) is SubAgent:
                    self._floor = self._floor or Floor()
                    self._said += self._floor.feed(item)
                    continue
            if type(item) is self._kind:
                return item

    @property
    def partial_value(self) -> Any:
        """What the message under way says so far, where the run has an `output_type`: see `Stream.partial_value`.

        None between two messages. What the model says before it calls tools is read the same.
        """
        self._check_typed()
        return self._loop.partial_value

    @property
    def value(self) -> Any:
        """The value of the last message, of the run's `output_type`; raises `ConfigError` before the end."""
        self._check_typed()
        if not self._loop.ended and self._loop.summary is not None:
            raise ConfigError("the run has no value: an abort, a tool or a hook ended it before the model had answered")
        if not self._loop.ended:
            raise ConfigError("the run has no value yet: read it to its end")
        return self._loop.value

    async def aclose(self) -> None:
        """End the run; does nothing where it has ended. Raises `ConfigError` while another task reads it."""
        items = self._items if self._is_live() else None
        if items is not None and items.ag_running:
            raise ConfigError("the run is being read by another task: cancel that task to end the run")
        self._next = _nothing
        self._said.clear()
        if items is not None:
            await items.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    def __del__(self) -> None:
        if self._items is not None:
            if self._is_live():
                self._loop.settle()
            self._release()

    def _check_typed(self) -> None:
        if self._loop.output_type is None:
            raise ConfigError("the run was started without an output_type, so it has no value")

    def _is_live(self) -> bool:
        return self._items is not None and self._items.ag_frame is not None

    def _start(self) -> Callable[[], Awaitable[Item]]:
        self._loop.start(self._agent)
        self._items = cast(AsyncGeneratorType[Item, None], self._loop.items())
        self._release = hold(self._items)
        self._next = self._items.__anext__
        return self._next


class EventRun(Run[Event]):
    """A run that yields all that happens."""

    async def __anext__(self) -> Event:
        item = await (self._next or self._start())()
        if isinstance(item, MessageDeltaOutput):
            return OutputDelta(item)
        return OutputEnd(item) if isinstance(item, MessageOutput) else item


class TypedRun(Run[T], Generic[T, ValueT]):
    """A `Run` with an `output_type`, whose `value` is of that type."""

    @property
    def value(self) -> ValueT:
        """See `Run.value`."""
        value: ValueT = super().value
        return value


class TypedEventRun(EventRun, TypedRun[Event, ValueT]):
    """An `EventRun` with an `output_type`, whose `value` is of that type."""


async def _nothing() -> Item:
    raise StopAsyncIteration
