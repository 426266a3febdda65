from __future__ import annotations

import os
import sys
import time
from contextlib import suppress
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from streamkit.errors import ConfigError, SessionError, SessionLocked
from streamkit.messages import Message
from streamkit.parts import TextPart, ValuePart
from streamkit.sessions.records import (
    ConversationRecord,
    Record,
    RetractionRecord,
    UnknownRecord,
    WorkingMemoryRecord,
)
from streamkit.sessions.store import Store
from tests.sessions.conftest import LOGS, messages, records

ONE, TWO = Message("user", [TextPart("one")]), Message("assistant", [TextPart("two")])


@pytest.mark.parametrize("kind", LOGS)
@given(data=st.data())
@settings(max_examples=6)
def test_a_session_of_any_records_is_read_as_it_was_written(
    kind: str, data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    root = tmp_path_factory.mktemp("root")
    written: list[Record] = []
    standing: list[tuple[str, Message]] = []
    for _ in range(data.draw(st.integers(1, 3))):
        writer = Store(root, LOGS[kind], fsync=False).open("a")
        assert writer.records[1:] == written
        for _ in range(data.draw(st.integers(0, 4))):
            retracted = data.draw(st.sampled_from([id for id, _ in standing])) if standing else ""
            item = data.draw(records() | st.just(RetractionRecord("no", retracted)))
            record = writer.record(item)
            assert record is not None
            written.append(record)
            if isinstance(record, ConversationRecord):
                standing.append((record.id, record.message))
            elif isinstance(record, RetractionRecord) and retracted:
                del standing[[id for id, _ in standing].index(retracted) :]
        assert writer.messages() == [message for _, message in standing]
        history = [message for _, message in standing][: data.draw(st.integers(0, 3))] + data.draw(
            st.lists(messages(), max_size=2)
        )
        writer.keep(history)
        assert writer.messages() == history
        written = writer.records[1:]
        standing = [(record.id, record.message) for record in writer._conversation.records]
        writer.close()
        assert Store(root, LOGS[kind]).read("a") == writer.records


def test_a_record_is_stamped_with_an_id_that_sorts_and_the_time(store: Store) -> None:
    before = time.time_ns() // 1_000_000
    writer = store.open("a")
    stored = [writer.record(ONE), writer.record(WorkingMemoryRecord(["a"])), writer.record("three")]
    writer.close()
    assert stored == writer.records[1:] == store.read("a")[1:]
    ids = [record.id for record in writer.records]
    assert ids == sorted(set(ids))
    assert all(record.timestamp >= before for record in writer.records)


def test_an_id_and_a_time_that_a_record_brings_are_kept(store: Store) -> None:
    writer = store.open("a")
    record = WorkingMemoryRecord(["a"], id="of another store", timestamp=7)
    assert writer.record(record) == record
    writer.close()
    assert store.read("a")[-1] == record


def test_messages_that_are_changed_later_change_nothing_that_is_stored(store: Store) -> None:
    writer = store.open("a")
    mine = Message("user", [TextPart("one")])
    writer.record(mine)
    mine.contents.clear()
    writer.messages()[0].contents.clear()
    assert writer.messages() == [ONE]
    writer.close()


@pytest.mark.parametrize("value", [object(), "\ud800", {1: {2: object()}}])
def test_what_is_no_json_is_refused_and_adds_nothing(value: Any, store: Store) -> None:
    writer = store.open("a")
    odd = Message("tool", [ValuePart(value)])
    for add in [lambda: writer.record(odd), lambda: writer.keep([ONE, odd])]:
        with pytest.raises(SessionError, match="'a' keeps plain JSON only"):
            add()
    assert writer.messages() == []
    writer.keep([ONE])
    assert writer.messages() == [ONE]
    writer.close()
    assert len(store.read("a")) == 2


def test_a_disk_that_fails_is_told_of_and_the_same_can_be_kept_again(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    writer = store.open("a")
    writer.keep([ONE])

    def fail(lines: object) -> None:
        raise OSError("No space left on device")

    with monkeypatch.context() as full:
        full.setattr(writer._log, "append", fail)
        with pytest.raises(SessionError, match="'a' could not be written: No space left on device. Nothing was added"):
            writer.keep([ONE, TWO])
        with pytest.raises(SessionError, match="Nothing was added"):
            writer.record(TWO)
    assert writer.messages() == [ONE]
    writer.keep([ONE, TWO])
    writer.close()
    assert msgspec.json.encode(store.read("a")) == msgspec.json.encode(writer.records)
    assert len(writer.records) == 3


def test_only_what_stands_can_be_taken_back(store: Store) -> None:
    writer = store.open("a")
    record = writer.record(ONE)
    assert record is not None
    with pytest.raises(ConfigError, match="no message of the session 'a' has the id 'nothing'"):
        writer.record(RetractionRecord("no", "nothing"))
    writer.record(RetractionRecord("no", record.id))
    with pytest.raises(ConfigError, match="has the id"):
        writer.record(RetractionRecord("no", record.id))
    writer.close()


def test_a_closed_writer_writes_no_more_and_lets_others(store: Store) -> None:
    writer = store.open("a")
    with pytest.raises(SessionLocked):
        store.open("a")
    writer.close()
    writer.close()
    with pytest.raises(SessionError, match="'a' is closed"):
        writer.record(ONE)
    store.open("a").close()


def test_a_writer_that_nobody_has_any_more_lets_others(store: Store) -> None:
    writer = store.open("a")
    del writer
    store.open("a").close()


ODD_RECORDS = [5, None, [], {"a": 1}, {"type": 3}, {"type": "conversation"}, {"type": "start", "parent": "b"}]


@pytest.mark.parametrize("raw", ODD_RECORDS, ids=str)
def test_what_could_not_be_read_again_is_not_written(raw: Any, store: Store) -> None:
    writer = store.open("a")
    with pytest.raises(ConfigError, match="an unknown record is an object"):
        writer.record(UnknownRecord(raw))
    writer.close()
    assert store.read("a") == writer.records


def nested(depth: int) -> list[Any]:
    value: list[Any] = []
    for _ in range(depth):
        value = [value]
    return value


def test_what_is_nested_too_deep_is_refused_and_the_session_goes_on(store: Store) -> None:
    writer = store.open("a")
    deep = Message("tool", [ValuePart(nested(100_000))])
    for add in [lambda: writer.record(deep), lambda: writer.keep([ONE, deep])]:
        with pytest.raises(SessionError, match="'a' keeps plain JSON only"):
            add()
    for depth in range(700, 1000, 7):  # what can be written may be too deep to be read
        with suppress(SessionError):  # whether it is refused depends on the depth
            writer.record(Message("tool", [ValuePart(nested(depth))]))
    writer.record(ONE)
    writer.close()
    assert store.read("a")[-1] == writer.records[-1]


def test_a_record_that_is_there_already_is_refused(store: Store) -> None:
    writer = store.open("a")
    record = writer.record(ONE)
    assert record is not None
    with pytest.raises(ConfigError, match=f"has a record of the id {record.id!r} already"):
        writer.record(record)
    writer.close()
    again = store.open("a")
    with pytest.raises(ConfigError, match="already"):
        again.record(record)
    again.close()
    branch = store.fork("a", "b")
    with pytest.raises(ConfigError, match="already"):
        branch.record(record)
    branch.close()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
def test_a_process_that_was_forked_off_does_not_write(store: Store) -> None:
    writer = store.open("a")
    told, tell = os.pipe()
    child = os.fork()
    if not child:
        try:
            writer.record(ONE)
        except SessionError as error:
            os.write(tell, str(error).encode())
        writer.close()
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
    assert b"opened by the process that forked this one" in os.read(told, 1000)
    writer.record(TWO)
    writer.close()
    assert [record.message for record in store.read("a")[1:] if isinstance(record, ConversationRecord)] == [TWO]
    os.close(told)
    os.close(tell)


@pytest.mark.skipif(sys.platform == "win32", reason="there is no limit on files")
def test_a_disk_that_is_full_at_any_byte_adds_nothing_and_the_same_can_be_kept_again(store: Store) -> None:
    import resource

    _, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    text = "three " * (5000 if store._log is LOGS["sqlite"] else 1)  # which writes pages
    history = [ONE, TWO, Message("user", [TextPart(text)])]
    failed = set()
    for room in range(1, 900, 31) if store._log is LOGS["jsonl"] else range(32_000, 104_000, 8000):
        name, kept = f"s{room}", 0
        resource.setrlimit(resource.RLIMIT_FSIZE, (room, hard))
        try:
            with suppress(SessionError):  # at some room or other
                writer = store.open(name)
                for kept in range(1, 4):
                    writer.keep(history[:kept])
                kept = 4
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
        failed.add(kept)
        if kept:
            assert writer.messages() == history[: kept - 1]
        else:
            writer = store.open(name)
        assert store.read(name) == writer.records
        writer.keep(history)
        writer.close()
        again = store.open(name)
        assert (again.messages(), again.torn) == (history, b"")
        again.close()
    assert {0, 3, 4} <= failed
