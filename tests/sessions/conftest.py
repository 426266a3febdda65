"""What the tests of sessions share: both stores, and records of any kind."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import pytest
from hypothesis import strategies as st

from streamkit.messages import Message
from streamkit.parts import FunctionCall, FunctionPart, TextPart, ValuePart
from streamkit.sessions.ids import new_id
from streamkit.sessions.jsonl import JsonLinesLog
from streamkit.sessions.log import Log
from streamkit.sessions.records import (
    ConversationRecord,
    ObservationRecord,
    Record,
    ReflectionRecord,
    SummaryRecord,
    UnknownRecord,
    WorkingMemoryRecord,
)
from streamkit.sessions.sqlite import SqliteLog
from streamkit.sessions.store import Store
from streamkit.testing.strategies import arguments, json_values, texts, usages

MakeStore: TypeAlias = Callable[..., Store]
LOGS: dict[str, type[Log]] = {"jsonl": JsonLinesLog, "sqlite": SqliteLog}


@pytest.fixture(params=LOGS)
def log(request: pytest.FixtureRequest) -> type[Log]:
    """The two kinds of store in turn."""
    return LOGS[request.param]


@pytest.fixture
def store(log: type[Log], tmp_path: Path) -> Store:
    """A store of each kind in turn, in a folder of its own."""
    return Store(tmp_path, log, fsync=False)


def messages() -> st.SearchStrategy[Message]:
    """Messages of any role, with text, values and calls."""
    parts = st.builds(TextPart, texts()) | st.builds(ValuePart, json_values())
    calls = st.builds(FunctionPart, texts(1), st.builds(FunctionCall, texts(1), arguments()))
    return st.builds(
        Message,
        st.sampled_from(["system", "user", "assistant", "tool"]),
        st.lists(parts, max_size=3),
        thinking=st.none() | texts(),
        tool_calls=st.none() | st.lists(calls, min_size=1, max_size=2),
        id=st.none() | texts(1),
    )


def unknown(value: object) -> UnknownRecord:
    """A record of a kind that a later version may have."""
    id = new_id()
    return UnknownRecord({"type": "dream", "id": id, "of": value}, id=id)


def records() -> st.SearchStrategy[Record]:
    """Records of every kind that a caller may add, but for retractions, which name others."""
    values, counts = st.lists(json_values(), max_size=3), st.integers(0, 10**6)
    return st.one_of(
        st.builds(ConversationRecord, messages()),
        st.builds(WorkingMemoryRecord, values, counts),
        st.builds(ObservationRecord, values, counts),
        st.builds(ReflectionRecord, values, counts, counts),
        st.builds(SummaryRecord, counts, st.none() | usages()),
        st.builds(unknown, json_values()),
    )
