"""Sessions: conversations on disk that outlive the process, as files of JSON lines or as SQLite databases.

`Sessions` and `Session` are for async callers; below them `Store` opens a `Writer`, each of whose records is a line of
a `Log`, of which there are two kinds.
"""

from __future__ import annotations

from streamkit.sessions.ids import new_id
from streamkit.sessions.records import (
    ConversationRecord,
    ObservationRecord,
    Record,
    ReflectionRecord,
    RetractionRecord,
    StartRecord,
    SummaryRecord,
    UnknownRecord,
    WorkingMemoryRecord,
)
from streamkit.sessions.session import Session, Sessions

__all__ = [
    "ConversationRecord",
    "ObservationRecord",
    "Record",
    "ReflectionRecord",
    "RetractionRecord",
    "Session",
    "Sessions",
    "StartRecord",
    "SummaryRecord",
    "UnknownRecord",
    "WorkingMemoryRecord",
    "new_id",
]
