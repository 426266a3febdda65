from __future__ import annotations

from typing import Any, get_args

import msgspec
import pytest

from streamkit.interop.foundation.content import UsageReport
from streamkit.interop.foundation.messages import user
from streamkit.interop.foundation.records import (
    AgentProgress,
    Conversation,
    Error,
    ExecutingTools,
    FailedAction,
    Finished,
    FlushingRecords,
    Generating,
    GeneratingEmbeddings,
    GeneratingTokens,
    Initializing,
    MemoryFact,
    ModelState,
    Observation,
    ObservationEntry,
    ProcessingMemory,
    Progress,
    Reflection,
    ReflectionEntry,
    Retracted,
    SessionEnding,
    SessionRecord,
    Steering,
    Summary,
    TimeRange,
    ToolCallCancelled,
    ToolCallRequested,
    TurnComplete,
    WorkingMemory,
    as_progress,
    is_stored,
)
from streamkit.models import ModelId

RECORDS: list[tuple[str, SessionRecord]] = [
    ("conversation", Conversation(user("Hi"))),
    ("retracted", Retracted(reason="steered", timestamp=5)),
    ("working_memory", WorkingMemory(facts=[MemoryFact("likes tea", 5, "m1", 0.5)], version=2)),
    ("observation", Observation(observations=[ObservationEntry("asks why", "question", 5)], token_count=9)),
    ("reflection", Reflection([ReflectionEntry("curious", TimeRange(1, 5), ["o1"], 0.5)], 6, 90, 9)),
    ("failed_action", FailedAction("Overloaded", "no capacity", ["run", "ask"])),
    ("summary", Summary(3, UsageReport(1.0, 2.0, 0.0, 0.0, 3.0))),
]

HINTS: list[tuple[str, Progress]] = [
    ("initializing", Initializing("tools")),
    ("generating", Generating(ModelId("m"), 5)),
    ("tool_call_requested", ToolCallRequested("f")),
    ("executing_tools", ExecutingTools(2, 1)),
    ("tool_call_cancelled", ToolCallCancelled("c")),
    ("processing_memory", ProcessingMemory("reflection")),
    ("flushing_records", FlushingRecords(4)),
    ("steering", Steering("user")),
    ("turn_complete", TurnComplete(UsageReport(1.0))),
    ("session_ending", SessionEnding()),
    ("generating_tokens", GeneratingTokens(UsageReport(1.0))),
    ("generating_embeddings", GeneratingEmbeddings()),
    ("finished", Finished()),
    ("error", Error("boom")),
]


@pytest.mark.feature("3.40", "3.41", "3.42", "3.43", "3.44", "3.45", "3.46")
@pytest.mark.parametrize(("tag", "record"), RECORDS, ids=[case[0] for case in RECORDS])
def test_a_record_is_decoded_as_it_was(tag: str, record: SessionRecord) -> None:
    encoded = msgspec.json.encode(record)
    assert msgspec.json.decode(encoded)["type"] == tag
    assert msgspec.json.decode(encoded, type=SessionRecord) == record


def test_the_table_has_every_record() -> None:
    assert {type(record) for _, record in RECORDS} == set(get_args(SessionRecord))


@pytest.mark.feature("3.37", "3.47")
@pytest.mark.parametrize(("tag", "hint"), HINTS, ids=[case[0] for case in HINTS])
def test_a_hint_comes_back_from_its_json_form(tag: str, hint: Progress) -> None:
    data = msgspec.to_builtins(hint)
    assert data["type"] == tag
    assert as_progress(data) == hint
    assert as_progress(hint) is hint


def test_the_table_has_every_hint() -> None:
    assert {type(hint) for _, hint in HINTS} == {*get_args(AgentProgress), *get_args(ModelState)}


@pytest.mark.feature("3.48")
@pytest.mark.parametrize("data", [{"type": "dreaming", "of": "sheep"}, {"type": "steering"}, {}, "soon", None])
def test_a_hint_that_is_not_known_stays_as_it_came(data: Any) -> None:
    assert as_progress(data) == data


@pytest.mark.feature("3.45")
def test_failed_actions_alone_are_not_stored() -> None:
    assert [tag for tag, record in RECORDS if not is_stored(record)] == ["failed_action"]


def test_a_record_has_an_id_that_sorts_by_time() -> None:
    assert Retracted(reason="a").id < Retracted(reason="b").id


@pytest.mark.feature("3.48")
@pytest.mark.parametrize("odd", [{"type": ["a"]}, {"type": {}}, {"type": None}, {}, 5, None, "text", []], ids=str)
def test_a_hint_of_any_other_form_stays_as_it_came(odd: Any) -> None:
    assert as_progress(odd) == odd
