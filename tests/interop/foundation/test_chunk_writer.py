from __future__ import annotations

from typing import get_args

import msgspec
import pytest
from hypothesis import given

from streamkit import FinishReason, MessageOutput, accumulate, get_protocol
from streamkit.deltas import (
    AudioDelta,
    BlockAdded,
    Delta,
    MessageEnd,
    MessageStart,
    Replace,
    Retract,
    TextDelta,
    TextStart,
    ThinkingDelta,
    ThinkingStart,
    ToolCallDelta,
    ToolCallEnd,
    ToolCallStart,
    UsageSnapshot,
)
from streamkit.errors import HistoryWarning
from streamkit.interop.foundation.chunk_writer import ChunkWriter
from streamkit.interop.foundation.chunks import ChunkReader, Mode
from streamkit.interop.foundation.content import (
    ImageContent,
    RefusalReason,
    TextContent,
    ThinkingContent,
    ToolCall,
    UsageReport,
)
from streamkit.interop.foundation.messages import Assistant
from streamkit.models import ModelId
from streamkit.parts import EmbeddedImage, ImagePart, RawPart
from streamkit.testing import Answer, render
from streamkit.testing.strategies import answers, delta_streams
from streamkit.usage import Usage

MODES = get_args(Mode)


def write(mode: Mode, *deltas: Delta) -> list[Assistant]:
    writer = ChunkWriter(mode)
    return [chunk for delta in deltas for chunk in writer.feed(delta)]


def heard(output: MessageOutput) -> tuple[object, ...]:
    """What chunks carry of an answer: kinds of text are joined, and calls without an object have no arguments."""
    message, finish = output.message, output.finish_reason
    text = "".join(getattr(part, "text", "") for part in message.contents)
    calls = [(call.id, call.function, call.error is None) for call in message.tool_calls or []]
    usage = output.usage and msgspec.structs.replace(output.usage, reasoning_tokens=None)
    return text, message.thinking, calls, usage, output.model, finish.type, finish.reason or None


@pytest.mark.feature("3.7", "3.10")
@pytest.mark.parametrize("mode", MODES)
@given(answer=answers("anthropic"))
def test_an_answer_is_the_same_after_chunks_in_either_mode(mode: Mode, answer: Answer) -> None:
    parser = get_protocol("anthropic").parser()
    deltas = [*parser.feed(render(answer, "anthropic")), *parser.finish()]
    chunks = write(mode, *deltas)
    reader = ChunkReader(mode)
    again = [delta for chunk in chunks for delta in reader.feed(chunk)] + reader.finish()
    assert heard(accumulate(again)) == heard(accumulate(deltas))


@given(delta_streams())
def test_whole_texts_follow_blocks_that_grow_at_once_and_are_revised(deltas: list[Delta]) -> None:
    first = [delta for delta in deltas if not isinstance(delta, (BlockAdded, AudioDelta))]
    reader = ChunkReader("cumulative")
    again = [delta for chunk in write("cumulative", *first) for delta in reader.feed(chunk)] + reader.finish()
    found, expected = heard(accumulate(again)), heard(accumulate(first))
    assert (found[0], found[1] or None) == (expected[0], expected[1] or None)


@pytest.mark.feature("3.7")
@pytest.mark.parametrize(("mode", "texts"), [("incremental", ["a", "b", ""]), ("cumulative", ["a", "ab", "ab"])])
def test_a_chunk_holds_the_piece_or_all_so_far(mode: Mode, texts: list[str]) -> None:
    chunks = write(
        mode,
        MessageStart(model="m", provider="p"),
        TextStart(0),
        TextDelta(0, "a"),
        UsageSnapshot(Usage(3, 1)),
        TextDelta(0, "b"),
        MessageEnd(FinishReason("length")),
    )
    assert [chunk.content for chunk in chunks] == [TextContent(text) for text in texts]
    assert [chunk.usage.output for chunk in chunks] == [0.0, 1.0, 1.0]
    assert [chunk.stop_reason for chunk in chunks] == ["stop", "stop", "length"]
    assert {(chunk.model, chunk.provider) for chunk in chunks} == {(ModelId("m"), "p")}


def test_a_call_is_one_chunk_when_it_is_complete() -> None:
    writer = ChunkWriter("incremental")
    assert writer.feed(ToolCallStart(0, "c", "f")) == []
    assert writer.feed(ToolCallDelta(0, '{"x"')) == []
    assert writer.feed(ToolCallDelta(0, ": 1}")) == []
    (chunk,) = writer.feed(ToolCallEnd(0, signature="s"))
    assert chunk.content == ToolCall("c", "f", {"x": 1}, "s")


def test_arguments_that_were_replaced_are_those_of_the_call() -> None:
    deltas = [ToolCallStart(0, "c", "f"), ToolCallDelta(0, "{"), Replace(0, '{"y":2}'), ToolCallEnd(0)]
    assert [chunk.content for chunk in write("cumulative", *deltas)] == [ToolCall("c", "f", {"y": 2})]


def test_a_whole_text_can_be_revised_and_an_increment_cannot() -> None:
    deltas = [ThinkingStart(0), ThinkingDelta(0, "no"), Replace(0, "yes"), TextStart(1), TextDelta(1, "a")]
    assert [chunk.content for chunk in write("cumulative", *deltas)] == [
        ThinkingContent("no"),
        ThinkingContent("yes"),
        TextContent("a"),
    ]
    with pytest.warns(HistoryWarning, match="Replace"):
        assert len(write("incremental", *deltas)) == 2


def test_what_was_retracted_is_not_said_again() -> None:
    deltas = [TextStart(0), TextDelta(0, "a"), Retract("again"), MessageStart(), TextStart(0), TextDelta(0, "b")]
    assert [chunk.content for chunk in write("cumulative", *deltas)] == [TextContent("a"), TextContent("b")]


def test_images_come_whole_and_what_has_no_place_is_warned_of() -> None:
    image = BlockAdded(0, ImagePart(EmbeddedImage("image/png", b"hi")))
    assert [chunk.content for chunk in write("incremental", image)] == [ImageContent("aGk=", "image/png")]
    with pytest.warns(HistoryWarning, match="RawPart"):
        assert write("incremental", BlockAdded(0, RawPart({"type": "new"}))) == []


@pytest.mark.parametrize(
    ("finish", "stop", "error", "metadata"),
    [
        (FinishReason("error", reason="no capacity"), "error", "no capacity", None),
        (FinishReason("refusal", reason="violence"), "refusal", None, [RefusalReason("violence")]),
    ],
)
def test_the_last_chunk_says_how_it_ended(
    finish: FinishReason, stop: str, error: str | None, metadata: list[RefusalReason] | None
) -> None:
    (chunk,) = write("incremental", MessageEnd(finish))
    assert (chunk.stop_reason, chunk.error_detail, chunk.metadata) == (stop, error, metadata)
    assert chunk.usage == UsageReport()


def test_other_answers_are_left_to_others() -> None:
    assert write("incremental", TextDelta(0, "a", choice=1), MessageEnd(FinishReason("stop"), choice=1)) == []
