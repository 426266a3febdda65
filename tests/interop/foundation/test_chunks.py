from __future__ import annotations

import time

import pytest

from streamkit import accumulate, coalesce
from streamkit.deltas import (
    MessageEnd,
    Replace,
    TextDelta,
    TextEnd,
    TextStart,
    ThinkingDelta,
    ThinkingEnd,
    ThinkingStart,
    UsageSnapshot,
)
from streamkit.errors import ConfigError
from streamkit.interop.foundation.chunks import ChunkReader, Mode, fold_chunks
from streamkit.interop.foundation.content import (
    ImageContent,
    ModelOutput,
    TextContent,
    ThinkingContent,
    ToolCall,
    UsageReport,
)
from streamkit.interop.foundation.messages import Assistant
from streamkit.messages import FinishReason, MessageOutput
from streamkit.models import ModelId

CALL = ToolCall("c", "f", {"x": 1})


def text(*pieces: str) -> list[Assistant]:
    return [Assistant(TextContent(piece)) for piece in pieces]


def folded(chunks: list[Assistant], mode: Mode) -> list[ModelOutput]:
    return [message.content for message in fold_chunks(chunks, mode)]


FOLDS = [
    ("new pieces join", "incremental", text("He", "llo"), [TextContent("Hello")]),
    ("the same piece twice is said twice", "incremental", text("ha", "ha"), [TextContent("haha")]),
    ("a piece that begins like the one before is new", "incremental", text("No", "Nope"), [TextContent("NoNope")]),
    ("line ends are kept", "incremental", text("\n", "\n"), [TextContent("\n\n")]),
    ("the last chunk is the answer", "cumulative", text("a", "ab", "abc"), [TextContent("abc")]),
    ("the same text twice says nothing new", "cumulative", text("ha", "ha"), [TextContent("ha")]),
    ("what was revised is replaced", "cumulative", text("No", "Yes"), [TextContent("Yes")]),
    (
        "the whole answer sent again at its end adds nothing",
        "cumulative",
        [
            Assistant(ThinkingContent("h")),
            Assistant(ThinkingContent("hm")),
            *text("a", "ab"),
            Assistant(CALL),
            Assistant(ThinkingContent("hm")),
            *text("ab"),
            Assistant(CALL),
        ],
        [ThinkingContent("hm"), TextContent("ab"), CALL],
    ),
    (
        "text that goes on after a call is in two blocks",
        "cumulative",
        [*text("a"), Assistant(CALL), *text("ab")],
        [TextContent("a"), CALL, TextContent("b")],
    ),
    (
        "a signature ends a block",
        "incremental",
        [Assistant(ThinkingContent("a")), Assistant(ThinkingContent("", "s1")), Assistant(ThinkingContent("b", "s2"))],
        [ThinkingContent("a", "s1"), ThinkingContent("b", "s2")],
    ),
    (
        "a block may be a signature alone",
        "incremental",
        [Assistant(ThinkingContent("", "s")), *text("a")],
        [ThinkingContent("", "s"), TextContent("a")],
    ),
    (
        "images and calls come whole",
        "incremental",
        [Assistant(ImageContent("aGk=", "image/png")), Assistant(CALL)],
        [ImageContent("aGk=", "image/png"), CALL],
    ),
]


@pytest.mark.feature("3.8", "3.9")
@pytest.mark.parametrize(("mode", "chunks", "blocks"), [case[1:] for case in FOLDS], ids=[case[0] for case in FOLDS])
def test_the_chunks_of_an_answer_fold(mode: Mode, chunks: list[Assistant], blocks: list[ModelOutput]) -> None:
    assert folded(chunks, mode) == blocks


@pytest.mark.feature("3.10", "first-4")
def test_both_modes_say_the_same_in_the_same_deltas() -> None:
    def deltas(mode: Mode, *pieces: str) -> list[object]:
        reader = ChunkReader(mode)
        return [*(delta for chunk in text(*pieces) for delta in reader.feed(chunk)), *reader.finish()]

    assert deltas("incremental", "a", "b", "c") == deltas("cumulative", "a", "ab", "abc")


def test_a_chunk_is_told_at_once() -> None:
    reader = ChunkReader("incremental")
    first = reader.feed(Assistant(ThinkingContent("hm"), ModelId("m"), "p"))
    assert (first[0].model, first[0].provider) == ("m", "p")
    assert first[1:] == [ThinkingStart(0), ThinkingDelta(0, "hm")]
    assert reader.feed(*text("a")) == [ThinkingEnd(0), TextStart(1), TextDelta(1, "a")]
    assert reader.finish() == [TextEnd(1), MessageEnd(FinishReason("stop", "stop"))]


def test_what_was_revised_is_a_replacement() -> None:
    reader = ChunkReader("cumulative")
    reader.feed(*text("No"))
    assert reader.feed(*text("Yes")) == [Replace(0, "Yes")]


@pytest.mark.feature("3.35")
def test_cumulative_usage_is_not_added_up() -> None:
    chunks = text("a", "b", "c")
    for number, chunk in enumerate(chunks, 1):
        chunk.usage = UsageReport(10.0, float(number), 0.0, 0.0, 10.0 + number)
    chunks.append(Assistant(TextContent(""), stop_reason="length"))  # says no usage, which takes none back
    *_, last = fold_chunks(chunks, "incremental")
    assert last.usage == UsageReport(10.0, 3.0, 0.0, 0.0, 13.0)
    assert last.stop_reason == "length"
    reader = ChunkReader("incremental")
    told = [delta for chunk in chunks for delta in reader.feed(chunk) if isinstance(delta, UsageSnapshot)]
    assert [delta.usage.output_tokens for delta in told] == [1, 2, 3]


def test_an_answer_that_failed_keeps_what_was_said() -> None:
    chunks = [*text("so far"), Assistant(TextContent(""), stop_reason="error", error_detail="no capacity")]
    reader = ChunkReader("incremental")
    output: MessageOutput = accumulate([*(d for chunk in chunks for d in reader.feed(chunk)), *reader.finish()])
    assert output.message.text == "so far"
    assert output.finish_reason == FinishReason("error", "error", "no capacity")


def test_no_chunks_are_no_answer() -> None:
    assert ChunkReader("incremental").finish() == []


def test_the_mode_must_be_said() -> None:
    with pytest.raises(ConfigError, match="incremental or cumulative, not 'guess'"):
        ChunkReader("guess")


def test_the_time_for_a_chunk_does_not_grow() -> None:
    chunk = Assistant(TextContent("x"))

    def seconds(count: int) -> float:
        reader = ChunkReader("incremental")
        start = time.process_time()
        for _ in range(count):
            reader.feed(chunk)
        return time.process_time() - start

    small = min(seconds(2000) for _ in range(5)) / 2000
    large = min(seconds(20_000) for _ in range(5)) / 20_000
    assert large < 2 * small


def test_coalesced_deltas_of_chunks_say_the_same() -> None:
    reader = ChunkReader("incremental")
    deltas = [delta for chunk in text(*"abc") for delta in reader.feed(chunk)] + reader.finish()
    assert accumulate(coalesce(deltas)) == accumulate(deltas)
