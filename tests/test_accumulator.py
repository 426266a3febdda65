"""Deltas in, messages out."""

from __future__ import annotations

import time

import msgspec
import pytest

from streamkit.accumulator import Accumulator, accumulate, coalesce
from streamkit.blocks import BlockRef
from streamkit.deltas import (
    AudioDelta,
    BlockAdded,
    CitationAdded,
    Delta,
    Logprobs,
    MessageEnd,
    MessageStart,
    RefusalDelta,
    RefusalEnd,
    RefusalStart,
    Replace,
    Retract,
    TextDelta,
    TextEnd,
    TextStart,
    ThinkingDelta,
    ThinkingEnd,
    ThinkingStart,
    ToolCallDelta,
    ToolCallEnd,
    ToolCallStart,
    UnknownFrame,
    UsageSnapshot,
)
from streamkit.errors import ProtocolError
from streamkit.messages import FinishReason, Message, MessageOutput, Meta, Origin
from streamkit.parts import (
    AudioPart,
    CitationPart,
    FilePart,
    FunctionCall,
    FunctionPart,
    RefusalPart,
    ServerToolPart,
    TextPart,
    ValuePart,
)
from streamkit.usage import Usage

STOP = FinishReason("stop", "stop")
START = MessageStart("assistant", "r1", "m1", provider="p", protocol="x")
ORIGIN = Meta(Origin("x", "p", "m1"))


def call(index: int, *pieces: str, id: str = "c1", name: str = "f", end: bool = True) -> list[Delta]:
    """The deltas of one call."""
    middle: list[Delta] = [ToolCallDelta(index, piece) for piece in pieces]
    return [ToolCallStart(index, id, name), *middle, *([ToolCallEnd(index)] if end else [])]


CASES: list[tuple[str, list[Delta], Message]] = [
    (
        "text is joined",
        [TextStart(0), TextDelta(0, "Hel"), TextDelta(0, "lo"), TextEnd(0)],
        Message("assistant", [TextPart("Hello")]),
    ),
    ("a text block that says nothing is no part", [TextStart(0), TextEnd(0)], Message("assistant", [])),
    (
        "thinking with one signature needs no overlay",
        [ThinkingStart(0), ThinkingDelta(0, "hm"), ThinkingEnd(0, signature="s"), TextStart(1), TextDelta(1, "a")],
        Message("assistant", [TextPart("a")], thinking="hm", signature="s", meta=ORIGIN),
    ),
    (
        "thinking that is only a signature is kept",
        [ThinkingStart(0), ThinkingEnd(0, signature="s")],
        Message("assistant", [], signature="s", meta=ORIGIN),
    ),
    (
        "interleaved blocks keep their order and signatures in the overlay",
        [
            ThinkingStart(0),
            ThinkingDelta(0, "one"),
            ThinkingEnd(0, signature="s1"),
            *call(1, "{}"),
            ThinkingStart(2),
            ThinkingDelta(2, "two"),
            ThinkingEnd(2, signature="s2"),
            TextStart(3),
            TextDelta(3, "a"),
            TextEnd(3),
        ],
        Message(
            "assistant",
            [TextPart("a")],
            thinking="onetwo",
            tool_calls=[FunctionPart("c1", FunctionCall("f"))],
            blocks=[
                BlockRef("thinking", 0, 3, signature="s1", check=2053932785),
                BlockRef("tool_calls", 0),
                BlockRef("thinking", 3, 6, signature="s2", check=298486374),
                BlockRef("contents", 0),
            ],
            meta=ORIGIN,
        ),
    ),
    (
        "redacted thinking stands in the overlay alone",
        [ThinkingStart(0), ThinkingEnd(0, extra={"opaque": {"data": "x"}}), TextStart(1), TextDelta(1, "a")],
        Message(
            "assistant",
            [TextPart("a")],
            blocks=[BlockRef("opaque", data={"data": "x"}), BlockRef("contents", 0)],
            meta=ORIGIN,
        ),
    ),
    (
        "calls that overlap are kept apart",
        [
            ToolCallStart(0, "a", "f"),
            ToolCallStart(1, "b", "g"),
            ToolCallDelta(1, '{"y"'),
            ToolCallDelta(0, '{"x":1'),
            ToolCallDelta(1, ":2}"),
            ToolCallDelta(0, "}"),
            ToolCallEnd(0),
            ToolCallEnd(1),
        ],
        Message(
            "assistant",
            [],
            tool_calls=[
                FunctionPart("a", FunctionCall("f", {"x": 1})),
                FunctionPart("b", FunctionCall("g", {"y": 2})),
            ],
        ),
    ),
    (
        "blank arguments are an empty object",
        call(0, " "),
        Message("assistant", [], tool_calls=[FunctionPart("c1", FunctionCall("f"))]),
    ),
    (
        "a call that never ended is not one that may be run, though its text parses",
        call(0, '{"a":1}', end=False),
        Message(
            "assistant",
            [],
            tool_calls=[FunctionPart("c1", FunctionCall("f"), '{"a":1}', "the call was cut short")],
        ),
    ),
    (
        "broken arguments are kept as text",
        call(0, '{"a":'),
        Message(
            "assistant",
            [],
            tool_calls=[FunctionPart("c1", FunctionCall("f"), '{"a":', "the arguments are not valid JSON")],
        ),
    ),
    (
        "arguments that only a strict reader refuses are read, and can be written as JSON again",
        call(0, '{"half":"\\ud83d","line":"a\nb","none":NaN,"over":1e999}'),
        Message(
            "assistant",
            [],
            tool_calls=[
                FunctionPart("c1", FunctionCall("f", {"half": "\ufffd", "line": "a\nb", "none": None, "over": None}))
            ],
        ),
    ),
    (
        "arguments nested too deeply are kept as text",
        call(0, "[" * 100_000),
        Message(
            "assistant",
            [],
            tool_calls=[FunctionPart("c1", FunctionCall("f"), "[" * 100_000, "the arguments are not valid JSON")],
        ),
    ),
    (
        "arguments that are no object are kept as text",
        call(0, "[1]"),
        Message(
            "assistant",
            [],
            tool_calls=[FunctionPart("c1", FunctionCall("f"), "[1]", "the arguments are not a JSON object")],
        ),
    ),
    (
        "big integers, order and nesting of arguments survive",
        call(0, '{"z":123456789012345678901234567890,"a":{"b":[1,{"c":null}]}}'),
        Message(
            "assistant",
            [],
            tool_calls=[
                FunctionPart(
                    "c1", FunctionCall("f", {"z": 123456789012345678901234567890, "a": {"b": [1, {"c": None}]}})
                )
            ],
        ),
    ),
    (
        "a raw line end inside a string of the arguments is what the model meant",
        call(0, '{"a":"x\ny"}'),
        Message("assistant", [], tool_calls=[FunctionPart("c1", FunctionCall("f", {"a": "x\ny"}))]),
    ),
    (
        "the input of a custom tool is free text",
        [ToolCallStart(0, "c1", "sh", custom=True), ToolCallDelta(0, "ls -l"), ToolCallEnd(0)],
        Message("assistant", [], tool_calls=[FunctionPart("c1", FunctionCall("sh"), "ls -l", custom=True)]),
    ),
    (
        "a refusal is a part of its own",
        [RefusalStart(0), RefusalDelta(0, "No"), RefusalDelta(0, "."), RefusalEnd(0)],
        Message("assistant", [RefusalPart("No.")]),
    ),
    (
        "citations follow their text",
        [TextStart(0), CitationAdded(0, {"url": "u"}), TextDelta(0, "a"), TextEnd(0), TextStart(1), TextDelta(1, "b")],
        Message("assistant", [TextPart("a"), CitationPart({"url": "u"}), TextPart("b")], meta=ORIGIN),
    ),
    (
        "audio joins its bytes and its transcript",
        [
            AudioDelta(0, b"ab", id="au"),
            AudioDelta(0, b"c", "Hi"),
            AudioDelta(0, transcript="!"),
            AudioDelta(0, expires_at=9),
        ],
        Message("assistant", [AudioPart(b"abc", "Hi!", id="au", expires_at=9)], meta=ORIGIN),
    ),
    (
        "a replaced text is the text",
        [TextStart(0), TextDelta(0, "Hallo"), Replace(0, "Hel"), TextDelta(0, "lo")],
        Message("assistant", [TextPart("Hello")]),
    ),
    (
        "a server tool's block is kept with its origin",
        [BlockAdded(0, ServerToolPart("call", "i", "search", {"type": "t"}))],
        Message("assistant", [ServerToolPart("call", "i", "search", {"type": "t"})], meta=ORIGIN),
    ),
    (
        "a file is kept with its origin, where its id is known",
        [BlockAdded(0, FilePart(file_id="f"))],
        Message("assistant", [FilePart(file_id="f")], meta=ORIGIN),
    ),
    ("frames that nobody knows are no content", [UnknownFrame("{}", "odd")], Message("assistant", [])),
    (
        "what was retracted is gone",
        [
            TextStart(0),
            TextDelta(0, "no"),
            Retract("again"),
            START,
            TextStart(0),
            TextDelta(0, "yes"),
        ],
        Message("assistant", [TextPart("yes")]),
    ),
]


@pytest.mark.feature("0.26")
@pytest.mark.parametrize(("deltas", "message"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_deltas_make_the_message(deltas: list[Delta], message: Message) -> None:
    whole = [START, *deltas, UsageSnapshot(Usage(3, 4)), MessageEnd(STOP)]
    expected = MessageOutput(message, STOP, Usage(3, 4), model="m1", provider="p", id="r1")
    assert accumulate(whole) == expected
    assert accumulate(coalesce(whole)) == expected
    assert msgspec.json.decode(msgspec.json.encode(expected), type=MessageOutput) == expected


def test_a_tool_message_names_the_call_it_answers() -> None:
    meta = Meta(is_error=True, name="f")
    output = accumulate([MessageStart("tool", "c1", meta=meta), BlockAdded(0, ValuePart(12.3)), MessageEnd(STOP)])
    assert output == MessageOutput(Message("tool", [ValuePart(12.3)], id="c1", meta=meta), STOP)


def test_choices_are_never_mixed() -> None:
    accumulator = Accumulator()
    for delta in [
        MessageStart(id="r", choice=1),
        TextStart(0, choice=1),
        TextDelta(0, "b", choice=1),
        MessageStart(id="r"),
        TextStart(0),
        TextDelta(0, "a"),
        TextDelta(0, "B", choice=1),
        UsageSnapshot(Usage(1, 2)),
        MessageEnd(STOP),
        MessageEnd(FinishReason("length"), choice=1),
    ]:
        accumulator.feed(delta)
    first, second = accumulator.outputs()
    assert (first.message.text, first.finish_reason, first.usage) == ("a", STOP, Usage(1, 2))
    assert (second.message.text, second.finish_reason, second.usage) == ("bB", FinishReason("length"), None)


def test_the_first_choice_is_the_lowest_that_began() -> None:
    accumulator = Accumulator()
    assert [output.message for output in accumulator.outputs()] == [Message("assistant", [])]
    for choice in (3, 2):
        accumulator.feed(MessageStart(id="r", choice=choice))
        accumulator.feed(TextStart(0, choice=choice))
        accumulator.feed(TextDelta(0, str(choice), choice=choice))
    accumulator.feed(UsageSnapshot(Usage(1, 2)))
    assert [output.message.text for output in accumulator.outputs()] == ["2", "3"]
    assert [output.usage for output in accumulator.outputs()] == [Usage(1, 2), None]
    assert accumulator.finish() == accumulator.outputs()[0]
    assert accumulator.snapshot().usage == Usage(1, 2)


def test_usage_is_overwritten_within_a_response_and_added_over_a_retraction() -> None:
    accumulator = Accumulator()
    for usage in (Usage(10, 1, cache_read_tokens=5), Usage(output_tokens=7), Usage(10, 9)):
        accumulator.feed(UsageSnapshot(usage))
    assert accumulator.snapshot().usage == Usage(10, 9, cache_read_tokens=5)
    accumulator.feed(Retract())
    accumulator.feed(UsageSnapshot(Usage(1, 1)))
    assert accumulator.finish().usage == Usage(11, 10, cache_read_tokens=5)


def test_logprobs_are_gathered() -> None:
    output = accumulate([START, Logprobs(content=[1]), Logprobs(content=[2], refusal=[3]), MessageEnd(STOP)])
    assert (output.logprobs, output.refusal_logprobs) == ([1, 2], [3])


def test_an_early_snapshot_stays_as_it_was() -> None:
    deltas: list[Delta] = [
        START,
        ThinkingStart(0),
        ThinkingDelta(0, "t"),
        TextStart(1),
        TextDelta(1, "a"),
        *call(2, "{}"),
    ]
    accumulator = Accumulator()
    taken = []
    for delta in deltas:
        accumulator.feed(delta)
        taken.append((accumulator.snapshot(), msgspec.json.encode(accumulator.snapshot())))
    for output, encoded in taken:
        assert msgspec.json.encode(output) == encoded


def test_partial_arguments_grow_with_the_call_and_snapshots_do_not_disturb_them() -> None:
    accumulator = Accumulator()
    seen = []
    accumulator.feed(ToolCallStart(0, "c", "f"))
    for piece in ('{"ci', 'ty":"Se', 'oul","n', '":[1,', "2]}"):
        accumulator.feed(ToolCallDelta(0, piece))
        seen.append(msgspec.json.encode(accumulator.partial_arguments(0)))
        accumulator.snapshot()
    assert seen[1] == b'{"city":"Se"}'
    assert seen[-1] == b'{"city":"Seoul","n":[1,2]}'


@pytest.mark.parametrize(
    "delta",
    [TextDelta(0, "x"), TextDelta(0, "x", choice=3), ToolCallDelta(2, "x"), TextEnd(0), TextStart(1), Replace(0, "")],
    ids=repr,
)
def test_a_delta_without_its_block_is_an_error(delta: Delta) -> None:
    with pytest.raises(ProtocolError):
        Accumulator().feed(delta)


def test_only_a_call_has_partial_arguments() -> None:
    accumulator = Accumulator()
    for delta in (TextStart(0), TextDelta(0, '{"a":1}'), ToolCallStart(1, "c", "f")):
        accumulator.feed(delta)
    assert accumulator.partial_arguments(1) is None
    for index, choice in ((0, 0), (2, 0), (1, 1)):
        with pytest.raises(ProtocolError):
            accumulator.partial_arguments(index, choice)


@pytest.mark.parametrize(
    "delta",
    [TextDelta(-1, "x"), ToolCallDelta(-1, "x"), TextEnd(-1), CitationAdded(-1, "x"), Replace(-1, ""), TextStart(-1)],
    ids=repr,
)
def test_no_index_means_the_last_block(delta: Delta) -> None:
    accumulator = Accumulator()
    for earlier in (TextStart(0), TextDelta(0, "a")):
        accumulator.feed(earlier)
    with pytest.raises(ProtocolError):
        accumulator.feed(delta)
    with pytest.raises(ProtocolError):
        accumulator.partial_arguments(-1)
    assert accumulator.finish().message == Message("assistant", [TextPart("a")])


def test_a_message_without_an_end_is_marked_as_synthesized() -> None:
    assert accumulate([START]).finish_reason == FinishReason("other", synthesized=True)
    assert Accumulator().snapshot().finish_reason is None


def test_coalescing_is_associative_and_keeps_what_it_must() -> None:
    deltas: list[Delta] = [
        START,
        TextStart(0),
        TextDelta(0, "a"),
        TextDelta(0, "b"),
        TextDelta(0, "c", choice=1),
        ToolCallStart(1, "c", "f"),
        ToolCallDelta(1, "{"),
        ToolCallDelta(1, "}"),
        ToolCallDelta(2, "}"),
    ]
    whole = coalesce(deltas)
    assert whole == [
        START,
        TextStart(0),
        TextDelta(0, "ab"),
        TextDelta(0, "c", choice=1),
        ToolCallStart(1, "c", "f"),
        ToolCallDelta(1, "{}"),
        ToolCallDelta(2, "}"),
    ]
    for cut in range(len(deltas) + 1):
        assert coalesce([*coalesce(deltas[:cut]), *coalesce(deltas[cut:])]) == whole


def test_a_fragment_costs_the_same_whatever_came_before() -> None:
    def cost(count: int) -> float:
        deltas: list[Delta] = [ToolCallDelta(0, "x")] * count
        accumulator = Accumulator()
        accumulator.feed(ToolCallStart(0, "c", "f"))
        start = time.process_time()
        for delta in deltas:
            accumulator.feed(delta)
        return (time.process_time() - start) / count

    assert min(cost(200_000) for _ in range(5)) < 2 * min(cost(20_000) for _ in range(5))


def test_the_end_names_the_model_that_answered_and_what_else_is_said_of_the_whole() -> None:
    end = MessageEnd(FinishReason("stop"), model="other", extra={"container": {"id": "c"}})
    deltas: list[Delta] = [MessageStart(model="m", protocol="p"), ThinkingStart(0), ThinkingDelta(0, "Hm"), end]
    output = accumulate(deltas)
    assert (output.model, output.extra) == ("other", {"container": {"id": "c"}})
    assert output.message.meta == Meta(Origin("p", "", "other"))
    assert msgspec.json.decode(msgspec.json.encode(output), type=MessageOutput) == output
