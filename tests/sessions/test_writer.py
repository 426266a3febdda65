from __future__ import annotations

import time
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from streamkit.errors import ConfigError, SessionError, SessionLocked
from streamkit.messages import Message
from streamkit.parts import TextPart, ValuePart
from streamkit.sessions.records import ConversationRecord, Record, RetractionRecord, WorkingMemoryRecord
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
