"""A connection in a task of its own, over a link that does not reach far."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AsyncExitStack
from typing import Any

import anyio
import pytest

pytest.importorskip("mcp", reason="the extra `mcp` is not installed")

from streamkit.errors import ConnectTimeout
from streamkit.mcp.connection import Connection


class Reaches:
    """A link whose `open` does as it is told."""

    label = "the server"
    secrets: Sequence[str] = ()
    noise = ""

    def __init__(self, opening: Callable[[], Any]) -> None:
        self._opening = opening
        self.closed = False

    async def open(self, stack: AsyncExitStack) -> Any:
        def note() -> None:
            self.closed = True

        stack.callback(note)
        return await self._opening()

    def last_words(self) -> str:
        return "; its last words"


async def follow(client: Any) -> None:
    raise AssertionError("there is no client")


async def test_opening_that_takes_too_long_is_given_up_and_undone() -> None:
    link = Reaches(anyio.sleep_forever)
    with pytest.raises(ConnectTimeout, match="the server was not ready within 0.01 s; its last words"):
        await Connection(link, follow).open(0.01)
    assert link.closed


async def test_opening_that_is_cancelled_is_undone() -> None:
    link = Reaches(anyio.sleep_forever)
    with anyio.move_on_after(0.01) as scope:
        await Connection(link, follow).open(5)
    assert scope.cancelled_caught and link.closed


async def test_what_keeps_it_from_opening_is_kept_and_ends_nothing_else() -> None:
    async def fails() -> None:
        raise OSError("no such program")

    link = Reaches(fails)
    connection = Connection(link, follow)
    await connection.open(5)
    assert connection.client is None and link.closed
    assert isinstance(connection.failure, OSError)
    await connection.aclose()
