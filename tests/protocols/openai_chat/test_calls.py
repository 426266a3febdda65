"""The fragments of tool calls, in every way in which servers send them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec
import pytest

from streamkit.accumulator import Accumulator
from streamkit.deltas import Delta, MessageStart, Replace, TextEnd, TextStart, ToolCallDelta, ToolCallEnd, ToolCallStart
from streamkit.limits import Limits
from streamkit.partial_json import PartialJSON
from streamkit.protocols.openai_chat.calls import CallReader
from streamkit.protocols.openai_chat.views import Function, ToolFragment
from streamkit.protocols.writer import BlockWriter
from streamkit.testing.outcome import numbered_ids

ABSENT: Any = object()


def fragment(index: Any = ABSENT, id: Any = ABSENT, name: Any = ABSENT, arguments: Any = ABSENT) -> dict[str, Any]:
    function = {key: value for key, value in (("name", name), ("arguments", arguments)) if value is not ABSENT}
    fields = (("index", index), ("id", id), ("function", function))
    return {key: value for key, value in fields if value is not ABSENT}


def read(fragments: Iterable[Any], *, cumulative: bool = False) -> list[Delta]:
    writer = BlockWriter(0, mint=numbered_ids(), limits=Limits())
    reader = CallReader(writer, cumulative=cumulative)
    out: list[Delta] = []
    for raw in fragments:  # each a chunk with one fragment, or with a list of them
        reader.read(msgspec.convert(raw if isinstance(raw, list) else [raw], list[ToolFragment]), out)
    reader.end(out)
    writer.close(out)
    return out


def calls(deltas: Iterable[Delta]) -> list[tuple[str, str, str]]:
    """The id, name and text of each call, in order."""
    starts: dict[int, list[str]] = {}
    for delta in deltas:
        if isinstance(delta, ToolCallStart):
            assert delta.index == len(starts)
            starts[delta.index] = [delta.id, delta.name, ""]
        elif isinstance(delta, ToolCallDelta):
            starts[delta.index][2] += delta.arguments
    return [(id, name, text) for id, name, text in starts.values()]


A, B = '{"a":1}', '{"b":2}'

CASES: list[tuple[str, list[Any], list[tuple[str, str, str]]]] = [
    (
        "pieces",
        [fragment(0, "x", "f", ""), fragment(0, arguments='{"a"'), fragment(0, arguments=":1}")],
        [("x", "f", A)],
    ),
    (
        "two that take turns",
        [
            fragment(0, "x", "f", ""),
            fragment(1, "y", "g", ""),
            fragment(0, arguments='{"a"'),
            fragment(1, arguments='{"b"'),
            fragment(0, arguments=":1}"),
            fragment(1, arguments=":2}"),
        ],
        [("x", "f", A), ("y", "g", B)],
    ),
    ("no index, one call", [fragment(id="x", name="f", arguments='{"a"'), fragment(arguments=":1}")], [("x", "f", A)]),
    (
        "no index, by id",
        [
            fragment(id="x", name="f", arguments='{"a"'),
            fragment(id="y", name="g", arguments='{"b"'),
            fragment(id="x", arguments=":1}"),
            fragment(id="y", arguments=":2}"),
        ],
        [("x", "f", A), ("y", "g", B)],
    ),
    (
        "no index and no id, whole",
        [fragment(name="f", arguments=A), fragment(name="g", arguments=B)],
        [("minted_0", "f", A), ("minted_1", "g", B)],
    ),
    (
        "no index and no id, one tool twice",
        [fragment(name="f", arguments=A), fragment(name="f", arguments=B)],
        [("minted_0", "f", A), ("minted_1", "f", B)],
    ),
    ("null index", [fragment(None, "x", "f", A), fragment(None, "y", "g", B)], [("x", "f", A), ("y", "g", B)]),
    ("an index as text", [fragment("0", "x", "f", '{"a"'), fragment("0", arguments=":1}")], [("x", "f", A)]),
    ("the index comes late", [fragment(id="x", name="f"), fragment(0, arguments=A)], [("x", "f", A)]),
    (
        "from 1 and with gaps",
        [fragment(1, "x", "f", ""), fragment(1, arguments=A), fragment(7, "y", "g", B)],
        [("x", "f", A), ("y", "g", B)],
    ),
    (
        "one index for all, whole",
        [fragment(0, "x", "f", A), fragment(0, "y", "g", B), fragment(0, "z", "g", A)],
        [("x", "f", A), ("y", "g", B), ("z", "g", A)],
    ),
    (
        "one index for all, in pieces",
        [
            fragment(0, "x", "f", ""),
            fragment(0, arguments='{"a"'),
            fragment(0, arguments=":1}"),
            fragment(0, "y", "f", ""),
            fragment(0, arguments=B),
        ],
        [("x", "f", A), ("y", "f", B)],
    ),
    (
        "one index for all, taking turns by id",
        [
            fragment(0, "x", "f", '{"a"'),
            fragment(0, "y", "f", '{"b"'),
            fragment(0, "x", "f", ":1}"),
            fragment(0, "y", arguments=":2}"),
        ],
        [("x", "f", A), ("y", "f", B)],
    ),
    (
        "one index for all, no ids",
        [fragment(0, name="f", arguments=A), fragment(0, name="g", arguments=B), fragment(0, name="g", arguments=A)],
        [("minted_0", "f", A), ("minted_1", "g", B), ("minted_2", "g", A)],
    ),
    ("no id", [fragment(0, name="f", arguments=A)], [("minted_0", "f", A)]),
    ("a null id", [fragment(0, None, "f", A)], [("minted_0", "f", A)]),
    ("an empty id, then and later", [fragment(0, "", "f", ""), fragment(0, "", arguments=A)], [("minted_0", "f", A)]),
    ("the id null as a word", [fragment(0, "null", "f", A)], [("minted_0", "f", A)]),
    ("an id that is a number", [fragment(0, 7, "f", A)], [("7", "f", A)]),
    ("an empty id after one", [fragment(0, "x", "f", ""), fragment(0, "", "", A)], [("x", "f", A)]),
    (
        "the id and the name repeated",
        [fragment(0, "x", "f", '{"a"'), fragment(0, "x", "f", ":"), fragment(0, "x", "f", "1}")],
        [("x", "f", A)],
    ),
    (
        "the name repeated, no id",
        [fragment(0, name="f", arguments='{"a"'), fragment(0, name="f", arguments=":1}")],
        [("minted_0", "f", A)],
    ),
    ("another id later", [fragment(0, "x", "f", '{"a"'), fragment(0, "y", arguments=":1}")], [("x", "f", A)]),
    (
        "another id each time, with the name",
        [
            fragment(0, "x", "f", '{"a"'),
            fragment(0, "y", "f", ":"),
            fragment(0, "z", "f", "{"),
            fragment(0, "w", "f", "}}"),
        ],
        [("x", "f", '{"a":{}}')],
    ),
    ("the id comes late", [fragment(0, name="f"), fragment(0, "x", arguments=A)], [("x", "f", A)]),
    ("the name comes late", [fragment(0, "x"), fragment(0, name="f", arguments=A)], [("x", "f", A)]),
    (
        "the name in pieces",
        [fragment(0, "x", "get_", ""), fragment(0, name="weather"), fragment(0, arguments=A)],
        [("x", "get_weather", A)],
    ),
    ("an object", [fragment(0, "x", "f", {"a": 1})], [("x", "f", A)]),
    ("null arguments", [fragment(0, "x", "f", None)], [("x", "f", "")]),
    ("null, then pieces", [fragment(0, "x", "f", None), fragment(0, None, None, A)], [("x", "f", A)]),
    ("no arguments at all", [fragment(0, "x", "f"), fragment(1, "y", "g", "")], [("x", "f", ""), ("y", "g", "")]),
    (
        "a placeholder alone",
        [fragment(0, "x", "f", "{}"), fragment(1, "y", "g", {})],
        [("x", "f", "{}"), ("y", "g", "{}")],
    ),
    (
        "a placeholder, then pieces",
        [fragment(0, "x", "f", "{}"), fragment(0, arguments='{"a"'), fragment(0, arguments=":1}")],
        [("x", "f", A)],
    ),
    ("a placeholder as an object, then pieces", [fragment(0, "x", "f", {}), fragment(0, arguments=A)], [("x", "f", A)]),
    ("a placeholder twice", [fragment(0, "x", "f", "{}"), fragment(0, "x", "f", "{}")], [("x", "f", "{}")]),
    (
        "whole after the pieces",
        [fragment(0, "x", "f", '{"a"'), fragment(0, arguments=":1}"), fragment(0, "x", "f", A)],
        [("x", "f", A)],
    ),
    (
        "whole after the pieces, with other spaces",
        [fragment(0, "x", "f", '{"a"'), fragment(0, arguments=":1}"), fragment(0, "x", "f", '{"a": 1}')],
        [("x", "f", A)],
    ),
    (
        "whole after the pieces, with other spaces and nothing else",
        [fragment(0, "x", "f", '{ "a"'), fragment(0, arguments=": 1 }"), fragment(0, arguments=A)],
        [("x", "f", '{ "a": 1 }')],
    ),
    (
        "whole after the pieces, with other spaces and no id",
        [
            fragment(0, name="f", arguments='{"a"'),
            fragment(0, arguments=":1}"),
            fragment(0, name="f", arguments='{"a": 1}'),
        ],
        [("minted_0", "f", A)],
    ),
    (
        "an object within a text",
        [fragment(0, "x", "f", '{"a":"{}'), *[fragment(0, arguments="{}")] * 9, fragment(0, arguments='"}')],
        [("x", "f", '{"a":"' + "{}" * 10 + '"}')],
    ),
    (
        "no index and no id, one call twice in a chunk",
        [[fragment(name="f", arguments=A), fragment(name="f", arguments=A)]],
        [("minted_0", "f", A), ("minted_1", "f", A)],
    ),
    (
        "no index and no id, a call without arguments twice in a chunk",
        [[fragment(name="f"), fragment(name="f", arguments="{}"), fragment(name="g")]],
        [("minted_0", "f", ""), ("minted_1", "f", "{}"), ("minted_2", "g", "")],
    ),
    (
        "no index and no id, a call and its arguments in a chunk",
        [[fragment(name="f"), fragment(arguments='{"a"'), fragment(arguments=":1}")]],
        [("minted_0", "f", A)],
    ),
    (
        "whole twice, no index",
        [fragment(id="x", name="f", arguments=A), fragment(id="x", name="f", arguments=A)],
        [("x", "f", A)],
    ),
    (
        "equal pieces",
        [fragment(0, "x", "f", '{"a":"'), *[fragment(0, arguments="ha")] * 2, fragment(0, arguments='"}')],
        [("x", "f", '{"a":"haha"}')],
    ),
    ("nothing", [fragment(0), {"index": 0}, {}, fragment(3, None, None, None)], []),
    (
        "arguments at an index where no call began",
        [fragment(0, "x", "f", A), fragment(1, arguments=B)],
        [("x", "f", A), ("minted_0", "", B)],
    ),
    ("a fragment of a call that never began", [fragment(0, arguments=A)], [("minted_0", "", A)]),
    ("no function", [fragment(0, "x", "f"), {"index": 0, "function": None}, fragment(0, arguments=A)], [("x", "f", A)]),
    (
        "a surrogate pair in two",
        [fragment(0, "x", "f", '{"a":"\ud83d'), fragment(0, arguments='\ude00"}')],
        [("x", "f", '{"a":"😀"}')],
    ),
]


@pytest.mark.feature("first-3")
@pytest.mark.parametrize(("fragments", "expected"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_fragments_become_the_calls_that_were_meant(fragments: list[Any], expected: list[tuple[str, str, str]]) -> None:
    deltas = read(fragments)
    assert calls(deltas) == expected
    ends = [delta.index for delta in deltas if isinstance(delta, ToolCallEnd)]
    assert ends == list(range(len(expected)))
    accumulator = Accumulator()
    for delta in [MessageStart(), *deltas]:
        accumulator.feed(delta)
    assert not any(call.error for call in accumulator.finish().message.tool_calls or [])


def test_arguments_are_given_out_with_the_fragment_that_brings_them() -> None:
    writer = BlockWriter(0, mint=numbered_ids(), limits=Limits())
    reader = CallReader(writer)
    out: list[Delta] = []
    reader.read([msgspec.convert(fragment(0, "x", "f", ""), ToolFragment)], out)
    assert out == []  # the name may still grow
    reader.read([msgspec.convert(fragment(0, arguments='{"a"'), ToolFragment)], out)
    assert out == [ToolCallStart(0, "x", "f"), ToolCallDelta(0, '{"a"')]


def test_a_call_closes_the_text_before_it_at_once() -> None:
    writer = BlockWriter(0, mint=numbered_ids(), limits=Limits())
    reader = CallReader(writer)
    out: list[Delta] = []
    writer.open(out, "text")
    reader.read([msgspec.convert(fragment(0, "x", "f", ""), ToolFragment)], out)
    assert out == [TextStart(0), TextEnd(0)]


def test_the_input_of_a_custom_tool_is_free_text() -> None:
    first = {"index": 0, "id": "x", "type": "custom", "custom": {"name": "run", "input": "{}"}}
    more = {"index": 0, "custom": {"input": "{}"}}
    deltas = read([first, more])
    assert deltas[0] == ToolCallStart(0, "x", "run", custom=True)
    assert calls(deltas) == [("x", "run", "{}{}")]


def test_what_a_provider_signs_a_call_with_is_kept() -> None:
    extra = {"google": {"thought_signature": "c2ln"}}
    deltas = read([{**fragment(0, "x", "f", A), "extra_content": extra}, fragment(1, "y", "g", B)])
    ends = [delta for delta in deltas if isinstance(delta, ToolCallEnd)]
    assert ends == [ToolCallEnd(0, extra={"extra_content": extra}), ToolCallEnd(1)]


def test_what_ends_twice_says_nothing_the_second_time() -> None:
    writer = BlockWriter(0, mint=numbered_ids(), limits=Limits())
    reader = CallReader(writer)
    out: list[Delta] = []
    reader.read([msgspec.convert({**fragment(0, "x", "f", "{}"), "extra_content": {"g": 1}}, ToolFragment)], out)
    reader.end(out)
    writer.close(out)
    before = list(out)
    reader.end(out)
    writer.release(out)
    assert out == before


ODD = [
    ("an index too long for a number", fragment("9" * 5000, "x", "f", A), ("x", "f", A)),
    ("arguments as an object with half a pair", fragment(0, "x", "f", {"a": "\ud83d"}), ("x", "f", '{"a":"\ufffd"}')),
    ("arguments as a list", fragment(0, "x", "f", [1]), ("x", "f", "[1]")),
]


@pytest.mark.parametrize(("raw", "expected"), [case[1:] for case in ODD], ids=[case[0] for case in ODD])
def test_a_field_of_an_odd_kind_is_read_as_what_it_may_mean(raw: Any, expected: tuple[str, str, str]) -> None:
    assert calls(read([raw])) == [expected]


def test_the_legacy_form_is_a_call_without_an_id() -> None:
    writer = BlockWriter(0, mint=numbered_ids(), limits=Limits())
    reader = CallReader(writer)
    out: list[Delta] = []
    for function in (Function("f", ""), Function(None, '{"a"'), Function("f", ":1}")):
        reader.read_legacy(function, out)
    reader.end(out)
    assert calls(out) == [("minted_0", "f", A)]


def test_the_legacy_form_beside_the_new_one_says_nothing() -> None:
    writer = BlockWriter(0, mint=numbered_ids(), limits=Limits())
    reader = CallReader(writer)
    out: list[Delta] = []
    for piece in ('{"a"', ":1}"):
        reader.read([msgspec.convert(fragment(0, "x", "f", piece), ToolFragment)], out)
        reader.read_legacy(Function("f", piece), out)
    reader.end(out)
    assert calls(out) == [("x", "f", A)]


def test_cumulative_arguments_grow_and_are_revised() -> None:
    pieces = ['{"a"', '{"a":1', '{"a":1', '{"a":2}']
    deltas = read([fragment(0, "x", "f", piece) for piece in pieces], cumulative=True)
    accumulator = Accumulator()
    for delta in [MessageStart(), *deltas]:
        accumulator.feed(delta)
    [call] = accumulator.finish().message.tool_calls or []
    assert call.function.arguments == {"a": 2}
    assert calls(deltas) == [("x", "f", '{"a":1')]


UNSURE: list[tuple[str, list[str], list[str]]] = [
    ("half a character", ['{"a":"caf\ufffd', '{"a":"café"}'], ['{"a":"caf', 'é"}']),
    ("half a pair", ['{"a":"\ud83d', '{"a":"😀"}'], ['{"a":"', '😀"}']),
    ("a character that really is unknown", ['{"a":"\ufffd', '{"a":"\ufffd"}'], ['{"a":"', '\ufffd"}']),
    ("one at the end", ['{"a":"\ufffd'], ['{"a":"', "\ufffd"]),
]


@pytest.mark.parametrize(("texts", "pieces"), [case[1:] for case in UNSURE], ids=[case[0] for case in UNSURE])
def test_what_cumulative_arguments_may_change_is_held_back(texts: list[str], pieces: list[str]) -> None:
    deltas = read([fragment(0, "x", "f", text) for text in texts], cumulative=True)
    assert not any(isinstance(delta, Replace) for delta in deltas)
    assert [delta.arguments for delta in deltas if isinstance(delta, ToolCallDelta)] == pieces


RESENT: list[tuple[str, list[Any]]] = [
    ("the name each time", [fragment(0, name="f", arguments="{}")]),
    ("another id each time", [fragment(0, f"id{place}", "f", "}") for place in range(10)]),
    ("nothing else", [fragment(0, arguments="{}")]),
]


@pytest.mark.parametrize("more", [case[1] for case in RESENT], ids=[case[0] for case in RESENT])
def test_a_piece_that_looks_like_an_end_costs_no_more_in_a_long_text(
    more: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    parsed = 0

    def feed(self: PartialJSON, text: str) -> None:
        nonlocal parsed
        parsed += len(text)
        real(self, text)

    real = PartialJSON.feed
    monkeypatch.setattr(PartialJSON, "feed", feed)
    pieces = [fragment(0, "x", "f", '{"a":"'), *(more * 1000)[:1000], fragment(0, arguments='"}')]
    text = calls(read(pieces))[0][2]
    assert text.count("}") == 1001
    assert parsed <= len(text)


def test_no_piece_is_lost_that_looks_like_an_end() -> None:
    for more in (fragment(0, arguments="}"), fragment(0, "x", "f", "}")):
        deltas = read([fragment(0, "x", "f", '{"a":"'), *[more] * 2000, fragment(0, arguments='"}')])
        assert calls(deltas)[0][2] == '{"a":"' + "}" * 2000 + '"}'
