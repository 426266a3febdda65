from __future__ import annotations

from pathlib import Path

import pytest

from streamkit.errors import ConfigError, SessionDamaged, SessionError, SessionExists, SessionNotFound
from streamkit.sessions.jsonl import JsonLinesLog
from streamkit.sessions.log import Log
from streamkit.sessions.records import StartRecord, UnknownRecord
from streamkit.sessions.store import Store, start_of


def say(store: Store, name: str, *texts: str) -> list[str]:
    """Add messages to a session, and return the ids of all its records."""
    writer = store.open(name)
    for text in texts:
        writer.record(text)
    writer.close()
    return [record.id for record in writer.records]


def fork(store: Store, parent: str, name: str, at: str | None = None) -> None:
    store.fork(parent, name, at).close()


def texts(store: Store, name: str) -> list[str]:
    """The conversation of a session, as a writer and a reader agree on it."""
    writer = store.open(name, create=False)
    said = [message.text for message in writer.messages()]
    assert writer.records == store.read(name)
    writer.close()
    return said


def test_a_session_begins_with_what_its_form_is(store: Store) -> None:
    say(store, "a", "one")
    start = start_of(store.read("a"))
    assert start is not None
    assert (start.format, start.parent, start.at) == (1, "", "")


def test_sessions_are_listed_and_what_else_lies_there_is_not(store: Store, log: type[Log], tmp_path: Path) -> None:
    assert store.names() == []
    for name in ["b", "a.jsonl", "a"]:
        say(store, name, "one")
    for other in ["notes.txt", f"-no{log.suffix}", f"a{log.suffix}.torn"]:
        (tmp_path / other).write_text("")
    assert store.names() == ["a", "a.jsonl", "b"]


def test_a_session_that_is_not_there_is_not_made_where_none_should_be(store: Store, tmp_path: Path) -> None:
    for use in [store.read, lambda name: store.open(name, create=False), lambda name: store.fork(name, "b")]:
        with pytest.raises(SessionNotFound, match=f"no session 'a' in {tmp_path}") as caught:
            use("a")
        assert caught.value.session == "a"
    assert list(tmp_path.iterdir()) == []


def test_a_session_whose_maker_died_before_its_first_line_is_as_none(
    store: Store, log: type[Log], tmp_path: Path
) -> None:
    log(tmp_path / f"a{log.suffix}", fsync=False).close()
    assert store.read("a") == []
    with pytest.raises(SessionNotFound):
        store.open("a", create=False)
    say(store, "b", "one")
    fork(store, "b", "a")
    assert texts(store, "a") == ["one"]


def test_a_branch_goes_on_where_it_was_forked_and_leaves_its_parent_alone(store: Store) -> None:
    ids = say(store, "a", "one", "two", "three")
    fork(store, "a", "early", ids[2])
    fork(store, "a", "late")
    say(store, "early", "other")
    say(store, "a", "four")
    say(store, "late", "more")
    assert texts(store, "early") == ["one", "two", "other"]
    assert texts(store, "late") == ["one", "two", "three", "more"]
    assert texts(store, "a") == ["one", "two", "three", "four"]


def test_branches_have_branches(store: Store) -> None:
    ids = say(store, "a", "one", "two")
    fork(store, "a", "b")
    say(store, "b", "three")
    fork(store, "b", "c")
    say(store, "c", "four")
    fork(store, "c", "d", ids[1])  # before its parent, and the parent of that, began
    say(store, "d", "five")
    assert texts(store, "c") == ["one", "two", "three", "four"]
    assert texts(store, "d") == ["one", "five"]
    starts = [record for record in store.read("c") if isinstance(record, StartRecord)]
    assert [start.parent for start in starts] == ["", "a", "b"]
    sorted_ids = [record.id for record in store.read("c")]
    assert sorted_ids == sorted(sorted_ids)


def test_a_branch_can_take_back_what_its_parent_said(store: Store) -> None:
    say(store, "a", "one", "two")
    fork(store, "a", "b")
    writer = store.open("b")
    writer.keep(writer.messages()[:1])
    writer.close()
    assert texts(store, "b") == ["one"]
    assert texts(store, "a") == ["one", "two"]


def test_a_session_can_be_forked_while_it_is_written_to(store: Store) -> None:
    writer = store.open("a")
    writer.record("one")
    branch = store.fork("a", "b")
    writer.record("two")
    assert [message.text for message in branch.messages()] == ["one"]
    for each in [writer, branch]:
        each.close()


def test_a_fork_does_not_write_over_a_session_and_begins_at_a_record(store: Store) -> None:
    say(store, "a", "one")
    say(store, "b", "two")
    with pytest.raises(SessionExists, match="'b' already"):
        store.fork("a", "b")
    with pytest.raises(ConfigError, match="no record of the session 'a' has the id 'x'"):
        store.fork("a", "c", "x")
    assert texts(store, "b") == ["two"]
    assert store.names() == ["a", "b"]


def test_a_branch_without_its_parent_says_so(store: Store, log: type[Log], tmp_path: Path) -> None:
    say(store, "a", "one")
    fork(store, "a", "b")
    (tmp_path / f"a{log.suffix}").rename(tmp_path / "elsewhere")
    for use in [store.read, store.open]:
        with pytest.raises(SessionNotFound, match="'b' goes on from 'a', which is not there"):
            use("b")
    say(store, "a", "another")
    with pytest.raises(SessionDamaged, match="'b' goes on from the record"):
        store.read("b")


def test_sessions_that_are_each_others_parent_are_refused(tmp_path: Path) -> None:
    for name, parent in [("a", "b"), ("b", "a")]:
        (tmp_path / f"{name}.jsonl").write_text(f'{{"type":"start","id":"1","parent":"{parent}","at":"1"}}\n')
    with pytest.raises(SessionDamaged, match="is its own parent: a → b"):
        Store(tmp_path, JsonLinesLog).read("a")


@pytest.mark.parametrize("name", ["../a", "a/b", "/etc/passwd", ""])
def test_names_stay_inside_the_root(name: str, store: Store) -> None:
    for use in [store.read, store.open, lambda name: store.fork("a", name), lambda name: store.fork(name, "a")]:
        with pytest.raises(SessionError if name == "a" else ConfigError):
            say(store, "a") if "a" not in store.names() else None
            use(name)


def test_a_parent_outside_the_root_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"type":"start","id":"1","parent":"../secret","at":"1"}\n')
    with pytest.raises(SessionDamaged, match=r"'a' goes on from '\.\./secret': that is no name"):
        Store(tmp_path, JsonLinesLog).read("a")


@pytest.mark.parametrize("suffix", ["", ".lock"])
def test_symlinks_are_refused(suffix: str, store: Store, log: type[Log], tmp_path: Path) -> None:
    (tmp_path / f"a{log.suffix}{suffix}").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(SessionError, match="symlink"):
        store.open("a")
    assert not (tmp_path / "elsewhere").exists()


def test_a_record_of_a_known_kind_but_another_form_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"type":"start"}\n{"type":"summary","message_count":"many"}\n')
    store = Store(tmp_path, JsonLinesLog)
    for use in [store.read, store.open]:
        with pytest.raises(SessionDamaged, match="record 2 of the session 'a' is of no known form.*message_count"):
            use("a")
    assert "many" in (tmp_path / "a.jsonl").read_text()


def test_records_of_a_later_version_are_kept_and_passed_over(tmp_path: Path) -> None:
    text = '{"type":"start","format":2}\n{"type":"dream","id":"7"}\n'
    (tmp_path / "a.jsonl").write_text(text)
    store = Store(tmp_path, JsonLinesLog)
    say(store, "a", "one")
    assert store.read("a")[1] == UnknownRecord({"type": "dream", "id": "7"}, id="7")
    assert texts(store, "a") == ["one"]
    assert (tmp_path / "a.jsonl").read_text().startswith(text)


def test_a_folder_that_cannot_be_made_is_told_of(log: type[Log], tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    store = Store(tmp_path / "file" / "root", log)
    with pytest.raises(SessionError, match="'a' could not be read or made"):
        store.open("a")
    with pytest.raises(SessionError, match="the folder of sessions could not be"):
        store.names()


def test_opening_that_fails_leaves_the_session_free(store: Store, log: type[Log], tmp_path: Path) -> None:
    say(store, "a", "one")
    fork(store, "a", "b")
    hidden = tmp_path / f"a{log.suffix}"
    hidden.rename(tmp_path / "hidden")
    with pytest.raises(SessionNotFound):
        store.open("b")
    (tmp_path / "hidden").rename(hidden)
    assert texts(store, "b") == ["one"]


def test_only_files_are_sessions(store: Store, log: type[Log], tmp_path: Path) -> None:
    say(store, "a", "one")
    (tmp_path / f"folder{log.suffix}").mkdir()
    (tmp_path / f"link{log.suffix}").symlink_to(tmp_path / f"a{log.suffix}")
    assert store.names() == ["a"]


def test_a_branch_goes_on_after_the_last_record_that_has_an_id(store: Store) -> None:
    writer = store.open("a")
    for item in ["one", UnknownRecord({"type": "dream"}), "two", UnknownRecord({"type": "dream"})]:
        writer.record(item)
    writer.close()
    fork(store, "a", "b")
    assert texts(store, "b") == ["one", "two"]
    with pytest.raises(ConfigError, match="no record of the session 'a' has the id ''"):
        fork(store, "a", "c", "")


def test_what_is_nested_too_deep_to_be_read_is_an_error_of_the_session(
    store: Store, log: type[Log], tmp_path: Path
) -> None:
    say(store, "a")
    deep = b'{"type":"dream","of":' + b"[" * 10_000 + b"]" * 10_000 + b"}"
    added = log(tmp_path / f"a{log.suffix}", fsync=False)
    added.append([deep])
    added.close()
    with pytest.raises(SessionDamaged, match=r"record 2 of the session 'a'|line 2 of .* is nested too deep"):
        store.read("a")
