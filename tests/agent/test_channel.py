"""What tasks tell one reader."""

from __future__ import annotations

import anyio
import pytest

from streamkit.agent.channel import Channel


async def test_items_come_in_order_and_end_with_the_close() -> None:
    channel: Channel[int] = Channel(10)
    channel.put(1)
    await channel.send(2)
    channel.put(3)
    channel.close()
    channel.close()
    channel.put(4)
    await channel.send(5)
    assert [item async for item in channel] == [1, 2, 3]


async def test_the_reader_waits_for_what_comes() -> None:
    channel: Channel[int] = Channel(1)
    read: list[int] = []

    async def reads() -> None:
        async for item in channel:
            read.append(item)  # noqa: PERF401 # as they come

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(reads)
        for item in range(5):
            await channel.send(item)
            await anyio.wait_all_tasks_blocked()
            assert read == list(range(item + 1))
        channel.close()


async def test_what_is_sent_waits_for_room_in_its_order_and_what_is_put_does_not() -> None:
    channel: Channel[str] = Channel(2)

    async def sends(item: str) -> None:
        await channel.send(item)

    async with anyio.create_task_group() as tasks:
        for item in "abcd":
            tasks.start_soon(sends, item)
            await anyio.wait_all_tasks_blocked()
        channel.put("now")
        read = []
        for _ in range(5):
            read.append(await anext(channel))
            await anyio.wait_all_tasks_blocked()  # trio wakes those that may go on in any order
        channel.close()
    assert read == ["a", "b", "now", "c", "d"]


async def test_nobody_waits_for_room_after_the_close() -> None:
    channel: Channel[int] = Channel(1)
    await channel.send(0)
    with anyio.fail_after(2):
        async with anyio.create_task_group() as tasks:
            for item in range(5):
                tasks.start_soon(channel.send, item)
            await anyio.wait_all_tasks_blocked()
            channel.close()
    assert [item async for item in channel] == [0]


async def test_a_reader_that_is_cancelled_loses_nothing() -> None:
    channel: Channel[int] = Channel(1)
    with anyio.move_on_after(0.01):
        await anext(channel)
    channel.put(1)
    assert await anext(channel) == 1
    channel.close()
    with pytest.raises(StopAsyncIteration):
        await anext(channel)
