from __future__ import annotations

from collections.abc import AsyncIterator

import anyio
import anyio.lowlevel
import pytest

from streamkit.transport.readahead import ReadAhead


async def source(*chunks: bytes, fails: Exception | None = None) -> AsyncIterator[bytes]:
    for chunk in chunks:
        yield chunk
    if fails is not None:
        raise fails


async def test_all_that_came_while_the_consumer_was_busy_is_one_item() -> None:
    ahead = ReadAhead(source(b"a", b"b", b"c"))
    ahead.start()
    await anyio.wait_all_tasks_blocked()
    assert [item async for item in ahead] == [b"abc"]


@pytest.mark.feature("D: gsd-pi#2123")
async def test_an_item_waits_for_no_other() -> None:
    gate = anyio.Event()

    async def slow() -> AsyncIterator[bytes]:
        yield b"a"
        await gate.wait()
        yield b"b"

    ahead = ReadAhead(slow())
    ahead.start()
    assert await anext(ahead) == b"a"
    gate.set()
    assert [item async for item in ahead] == [b"b"]


async def test_an_error_comes_after_what_came_before_it() -> None:
    ahead = ReadAhead(source(b"a", b"b", fails=ValueError("broken")))
    ahead.start()
    await anyio.wait_all_tasks_blocked()
    assert await anext(ahead) == b"ab"
    with pytest.raises(ValueError, match="broken"):
        await anext(ahead)


async def test_reading_stops_while_as_much_is_held_as_may_be() -> None:
    read = 0

    async def endless() -> AsyncIterator[bytes]:
        nonlocal read
        while True:
            read += 1
            yield b"x" * 10
            await anyio.lowlevel.checkpoint()

    ahead = ReadAhead(endless(), limit=100)
    ahead.start()
    for rounds in range(1, 4):
        await anyio.wait_all_tasks_blocked()
        assert read == 10 * rounds
        assert len(await anext(ahead)) == 100
    await ahead.stop()


async def test_draining_waits_for_the_end_of_the_source_but_not_for_long() -> None:
    ahead = ReadAhead(source(b"a", b"b"))
    ahead.start()
    await ahead.drain(5)
    assert [item async for item in ahead] == [b"ab"]

    async def silent() -> AsyncIterator[bytes]:
        await anyio.sleep_forever()
        yield b""

    ahead = ReadAhead(silent())
    ahead.start()
    with anyio.fail_after(2):
        await ahead.drain(0.01)
        await ahead.stop()


async def test_stopping_ends_the_task_and_the_source() -> None:
    ended = anyio.Event()

    async def waiting() -> AsyncIterator[bytes]:
        try:
            yield b"a"
            await anyio.sleep_forever()
        finally:
            ended.set()

    chunks = waiting()
    ahead = ReadAhead(chunks)
    ahead.start()
    await anyio.wait_all_tasks_blocked()
    await ahead.stop()
    await ahead.stop()
    assert ended.is_set()
    assert [item async for item in ahead] == [b"a"]
