from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any, Literal

import anyio
import httpx
import msgspec
import pytest

from streamkit import Agent, tool
from streamkit.deltas import TextDelta
from streamkit.errors import ConfigError, ServerError, SessionError, SessionLocked, SessionNotFound
from streamkit.messages import Message
from streamkit.parts import TextPart
from streamkit.sessions import (
    ConversationRecord,
    RetractionRecord,
    Session,
    Sessions,
    SummaryRecord,
    WorkingMemoryRecord,
)
from streamkit.testing import Answer, Call, ReplayTransport

SCRIPT = [Answer([Call("add", {"a": 1, "b": 2}), Call("fail", {})]), Answer(["It is ", "three."]), Answer(["Bye."])]


@pytest.fixture(params=["jsonl", "sqlite"])
def sessions(request: pytest.FixtureRequest, tmp_path: Path) -> Sessions:
    """Both kinds of store in turn."""
    kind: Literal["jsonl", "sqlite"] = request.param
    return Sessions(tmp_path, store=kind, fsync=False)


@tool
def add(a: int, b: int) -> int:
    """Add."""
    return a + b


@tool
def fail() -> None:
    """Fail."""
    raise ValueError("no")


def make_agent(replies: Any, **options: Any) -> Agent:
    http_client = httpx.AsyncClient(transport=ReplayTransport(replies))
    return Agent("openai/m", tools=[add, fail], api_key="key", retry=0, http_client=http_client, **options)


def said(session: Session) -> list[str]:
    return [message.text for message in session.messages()]


async def stored(sessions: Sessions, name: str = "a") -> list[str]:
    async with sessions.open(name) as session:
        return said(session)


async def test_an_agent_goes_on_where_another_process_left_it(sessions: Sessions) -> None:
    async with sessions.open("a") as session:
        agent = make_agent(SCRIPT[:2], instruction="Be brief.", history=session.messages())
        async for _ in agent.run_stream("1 + 2?"):
            await session.keep(agent.history)
    async with sessions.open("a", create=False) as session:
        again = make_agent(SCRIPT[2:], instruction="Be brief.", history=session.messages())
        assert again.history == agent.history
        assert len(again.history) == 6
        async for _ in again.run("Thanks."):
            await session.keep(again.history)
        assert session.messages() == again.history
    assert [record for record in await sessions.read("a") if isinstance(record, RetractionRecord)] == []


async def test_every_message_is_stored_when_it_is_yielded(sessions: Sessions) -> None:
    async with sessions.open("a") as session:
        agent = make_agent(SCRIPT[:2])
        async for _ in agent.run("1 + 2?"):
            await session.keep(agent.history)
            now = [record.message for record in await sessions.read("a") if hasattr(record, "message")]
            assert now == agent.history


async def test_what_a_run_yields_can_be_recorded_instead(sessions: Sessions) -> None:
    agent = make_agent(SCRIPT[:2])
    async with sessions.open("a") as session:
        await session.record("1 + 2?")
        async for event in agent.run_events("1 + 2?"):
            await session.record(event)
        assert session.messages() == agent.history
        summary = session.records[-1]
        assert isinstance(summary, SummaryRecord)
        assert (summary.message_count, summary.usage) == (5, agent.usage)


async def test_a_break_leaves_the_partial_message_in_the_session(sessions: Sessions) -> None:
    agent = make_agent([Answer(["It is ", "three."])])
    async with sessions.open("a") as session:
        async with agent.run_stream("1 + 2?") as run:
            async for out in run:
                await session.keep(agent.history)
                if isinstance(out.delta, TextDelta):
                    break
        assert said(session) == ["1 + 2?"]
    assert len(agent.history) == 2
    assert await stored(sessions) == [message.text for message in agent.history]


async def test_a_query_that_an_error_took_back_is_taken_back_here(sessions: Sessions) -> None:
    agent = make_agent([])
    with pytest.raises(ServerError):
        async with sessions.open("a") as session:
            async for _ in agent.run_events("1 + 2?"):
                await session.keep(agent.history)
    assert agent.history == []
    assert await stored(sessions) == []


async def test_cancelling_leaves_what_was_shown(sessions: Sessions) -> None:
    agent = make_agent([Answer(["It is ", "three."])])
    with anyio.CancelScope() as scope:
        async with sessions.open("a") as session, agent.run_stream("1 + 2?") as run:
            async for out in run:
                await session.keep(agent.history)
                if isinstance(out.delta, TextDelta):
                    scope.cancel()
                    await anyio.sleep_forever()
    assert (await stored(sessions))[0] == "1 + 2?"
    async with sessions.open("a") as session:
        assert session.messages() == agent.history


async def test_keeping_without_news_costs_no_thread(sessions: Sessions, monkeypatch: pytest.MonkeyPatch) -> None:
    history = [Message("user", [TextPart("one")])]
    async with sessions.open("a") as session:
        await session.keep(history)
        with monkeypatch.context() as without:
            without.setattr("anyio.to_thread.run_sync", None)
            await session.keep(history)
        history.append(Message("assistant", [TextPart("two")]))
        await session.keep(history)
        assert said(session) == ["one", "two"]


async def test_a_task_that_is_cancelled_can_still_keep_what_a_run_has_left(sessions: Sessions) -> None:
    history = [Message("user", [TextPart("one")])]
    async with sessions.open("a") as session:
        with anyio.CancelScope() as scope:
            try:
                scope.cancel()
                await anyio.sleep_forever()
            finally:
                await session.keep(history)
                await session.record(Message("user", [TextPart("two")]))
        records = await sessions.read("a")  # as it would be, were the process killed now
        assert [r.message.text for r in records if isinstance(r, ConversationRecord)] == ["one", "two"]


async def test_a_message_that_was_edited_in_place_is_stored_at_the_end(sessions: Sessions) -> None:
    history = [Message("user", [TextPart("my name")]), Message("user", [TextPart("two")])]
    async with sessions.open("a") as session:
        await session.keep(history)
        history[0].contents[0] = TextPart("[redacted]")
        await session.keep(history)
    assert await stored(sessions) == ["[redacted]", "two"]


async def test_recording_from_many_tasks_loses_nothing(sessions: Sessions) -> None:
    async with sessions.open("a") as session:
        async with anyio.create_task_group() as tasks:
            for number in range(20):
                tasks.start_soon(session.record, f"{number}")
        assert sorted(said(session), key=int) == [f"{number}" for number in range(20)]
    ids = [record.id for record in await sessions.read("a")]
    assert ids == sorted(set(ids))


async def test_recording_that_is_cancelled_is_stored_once_or_not_at_all(sessions: Sessions) -> None:
    async with sessions.open("a") as session:
        for number in range(20):
            with anyio.move_on_after(number * 0.0001):
                await session.record(f"{number}")
        numbers = [int(text) for text in said(session)]
        assert numbers == sorted(set(numbers))
        await session.record("99")
        assert said(session) == [*map(str, numbers), "99"]
        here = session.records
    assert await sessions.read("a") == here


async def test_branches_know_their_parents(sessions: Sessions) -> None:
    async with sessions.open("a") as session:
        first = await session.record("one")
        await session.record("two")
        assert first is not None
        async with sessions.fork("a", "b", at=first.id) as branch:
            await branch.record("three")
        async with sessions.fork("b", "c") as leaf:
            assert (leaf.parents, branch.name, session.parents) == (["b", "a"], "b", [])
            assert said(leaf) == ["one", "three"]
        assert said(session) == ["one", "two"]
    assert await sessions.names() == ["a", "b", "c"]


async def test_a_second_writer_is_refused_and_the_first_goes_on(sessions: Sessions) -> None:
    async with sessions.open("a") as session:
        with pytest.raises(SessionLocked, match="fork the session here"):
            async with sessions.open("a"):
                pass
        await session.record(WorkingMemoryRecord(["still here"]))
        with pytest.raises(ConfigError, match="'a' is open already"):
            async with session:
                pass
    async with session:  # again, after it was closed
        assert len(session.records) == 2
        assert session.torn == b""


async def test_a_session_that_is_not_open_says_so(sessions: Sessions) -> None:
    session = sessions.open("a")
    for use in [session.messages, lambda: session.records, lambda: session.parents, lambda: session.torn]:
        with pytest.raises(SessionError, match="'a' is not open"):
            use()
    with pytest.raises(SessionError, match="'a' is not open"):
        await session.record("one")
    with pytest.raises(SessionError, match="'a' is not open"):
        await session.keep([])
    await session.aclose()
    assert repr(session) == "<Session 'a', closed>"
    with pytest.raises(SessionNotFound):
        async with sessions.open("a", create=False):
            pass
    assert await sessions.names() == []


async def test_what_was_torn_can_be_looked_at(tmp_path: Path) -> None:
    sessions = Sessions(tmp_path)
    async with sessions.open("a") as session:
        await session.record("one")
    with (tmp_path / "a.jsonl").open("ab") as file:
        file.write(b'{"type":"conv')
    async with sessions.open("a") as session:
        assert (session.torn, said(session)) == (b'{"type":"conv', ["one"])


async def test_a_history_of_the_session_is_plain_json(sessions: Sessions) -> None:
    async with sessions.open("a") as session:
        agent = make_agent(SCRIPT[:2])
        async for _ in agent.run("1 + 2?"):
            await session.keep(agent.history)
        saved = msgspec.json.encode(session.messages())
    assert make_agent([], history=saved).history == agent.history


def test_what_is_wrong_is_found_before_the_disk_is_touched(tmp_path: Path) -> None:
    sessions = Sessions(tmp_path / "root")
    for use in [lambda: sessions.open("../a"), lambda: sessions.fork("a", "/b"), lambda: sessions.fork("..", "b")]:
        with pytest.raises(ConfigError, match="no name"):
            use()
    with pytest.raises(ConfigError, match="no store 'redis' for sessions: there are jsonl, sqlite"):
        Sessions(tmp_path, store="redis")
    assert list(tmp_path.iterdir()) == []


def test_sessions_load_no_network() -> None:
    code = "import sys, streamkit.sessions; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert not {name.partition(".")[0] for name in loaded} & {"httpx", "httpx_sse", "httpcore", "h11"}


async def test_several_may_close_a_session(sessions: Sessions) -> None:
    session = sessions.open("a")
    await session.__aenter__()
    await session.keep([Message("user", [TextPart("one")])])
    async with anyio.create_task_group() as tasks:
        for _ in range(4):
            tasks.start_soon(session.aclose)
    assert await stored(sessions) == ["one"]


async def test_a_message_that_another_took_the_place_of_is_stored_at_once(sessions: Sessions) -> None:
    history = [Message("user", [TextPart(text)]) for text in ["one", "two", "three"]]
    async with sessions.open("a") as session:
        await session.keep(history)
        history[1] = Message("user", [TextPart("[redacted]")])
        await session.keep(history)
        assert said(session) == ["one", "[redacted]", "three"]
        await session.record("four")
        await session.keep(history)
        assert said(session) == ["one", "[redacted]", "three"]


BATCHES = [["one"], ["one", "two", "three"], ["one", "four"], ["one", "four", "five", "six"]]


async def keep_all(sessions: Sessions, name: str) -> None:
    async with sessions.open(name) as session:
        for batch in BATCHES:
            await session.keep([Message("user", [TextPart(text)]) for text in batch])


async def wait_for(step: int) -> None:
    """Some turns of the loop first, then as long as the disk takes."""
    for _ in range(min(step, 10)):
        await anyio.lowlevel.checkpoint()
    await anyio.sleep(max(step - 10, 0) * 0.0005)


@pytest.mark.parametrize("native", [False, True])
async def test_keeping_that_is_cancelled_at_any_await_stores_all_of_it_or_nothing(
    native: bool, sessions: Sessions, anyio_backend_name: str
) -> None:
    if native and anyio_backend_name != "asyncio":
        pytest.skip(reason="trio has no other way")
    seen = set()
    for step in range(25):
        name = f"s{step}"
        if native:
            import asyncio

            task = asyncio.ensure_future(keep_all(sessions, name))
            await wait_for(step)
            task.cancel()
            await asyncio.wait([task])
        else:
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(keep_all, sessions, name)
                await wait_for(step)
                tasks.cancel_scope.cancel()
        with anyio.fail_after(2):
            while True:
                try:
                    async with sessions.open(name) as session:
                        assert session.torn == b""
                        assert said(session) in [[], *BATCHES]
                        seen.add(len(session.records))
                    break
                except SessionLocked:
                    assert native  # the thread that opens it is not waited for
                    await anyio.sleep(0.001)
    await keep_all(sessions, "whole")
    assert max(seen) <= len(await sessions.read("whole"))
