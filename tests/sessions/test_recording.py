from __future__ import annotations

from typing import Any

import pytest

from streamkit.deltas import MessageDeltaOutput, TextDelta
from streamkit.errors import ConfigError
from streamkit.events import (
    Done,
    Failed,
    MessageAdded,
    OutputDelta,
    OutputEnd,
    Progress,
    RunStart,
    RunSummary,
    SubAgent,
    ToolEnd,
    ToolStart,
    TurnEnd,
    TurnStart,
)
from streamkit.messages import FinishReason, Message, MessageOutput
from streamkit.parts import TextPart
from streamkit.sessions.recording import as_record
from streamkit.sessions.records import (
    ConversationRecord,
    ObservationRecord,
    Record,
    ReflectionRecord,
    RetractionRecord,
    StartRecord,
    SummaryRecord,
    WorkingMemoryRecord,
)
from streamkit.usage import Usage

MESSAGE = Message("user", [TextPart("hi")])
DELTA = MessageDeltaOutput(TextDelta(0, "hi"), None, None, 0, "agent")

KEPT: list[tuple[Any, Record]] = [
    ("hi", ConversationRecord(MESSAGE)),
    (MessageAdded(MESSAGE, "steering"), ConversationRecord(MESSAGE)),
    (MESSAGE, ConversationRecord(MESSAGE)),
    ({"role": "user", "contents": [{"type": "text", "text": "hi"}]}, ConversationRecord(MESSAGE)),
    (MessageOutput(MESSAGE), ConversationRecord(MESSAGE)),
    (OutputEnd(MessageOutput(MESSAGE)), ConversationRecord(MESSAGE)),
    (Done(RunSummary(2, FinishReason("stop"), Usage(1, 2))), SummaryRecord(7, Usage(1, 2))),
    *[
        (record, record)
        for record in [
            ConversationRecord(MESSAGE),
            RetractionRecord("vacuous"),
            WorkingMemoryRecord(["a"], 1),
            ObservationRecord(["a"], 1),
            ReflectionRecord(["a"], 2, 1),
            SummaryRecord(1),
        ]
    ],
]


@pytest.mark.parametrize(("item", "record"), KEPT, ids=[type(item).__name__ for item, _ in KEPT])
def test_messages_and_the_end_of_a_run_are_kept(item: Any, record: Record) -> None:
    assert as_record(item, 7) == record


@pytest.mark.feature("3.45")
@pytest.mark.parametrize(
    "item",
    [
        DELTA,
        OutputDelta(DELTA),
        RunStart("agent"),
        TurnStart(1),
        TurnEnd(1),
        ToolStart("c", "add"),
        ToolEnd("c", "add", MESSAGE, True),
        Progress("retrying"),
        MessageOutput(MESSAGE, depth=1),
        OutputEnd(MessageOutput(MESSAGE, depth=1)),
        SubAgent("c", "ask", OutputEnd(MessageOutput(MESSAGE))),
        Failed("ServerError", "no", MessageOutput(MESSAGE)),
    ],
    ids=lambda item: type(item).__name__,
)
def test_pieces_the_story_and_what_failed_are_not(item: Any) -> None:
    assert as_record(item, 7) is None


@pytest.mark.parametrize("item", [3, None, {"role": "nobody"}, {"role": "user", "content": "hi"}, StartRecord()])
def test_what_is_no_record_is_refused(item: Any) -> None:
    with pytest.raises(ConfigError, match="no record"):
        as_record(item, 7)
