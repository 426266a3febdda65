"""Arguments that come as values at paths, as text that grows."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from streamkit.errors import ProtocolError
from streamkit.protocols.gemini.partial_args import MAX_DEPTH, PartialArg, PartialArguments


def text(path: str, value: str, more: bool = False) -> dict[str, Any]:
    return {"jsonPath": path, "stringValue": value, **({"willContinue": True} if more else {})}


def value(path: str, **fields: Any) -> dict[str, Any]:
    return {"jsonPath": path, **fields}


# name, values, pieces of text, the last piece
IN_ORDER: list[tuple[str, list[dict[str, Any]], list[str], str]] = [
    ("nothing", [], [], "{}"),
    ("a string", [text("$.a", "x")], ['{"a":"x"'], "}"),
    (
        "a string in pieces",
        [text("$.a", "x", True), text("$.a", 'y"', True), text("$.a", "")],
        ['{"a":"x', 'y\\"', '"'],
        "}",
    ),
    ("a string that is left open", [text("$.a", "x", True)], ['{"a":"x'], '"}'),
    ("a string that the next value ends", [text("$.a", "x", True), text("$.b", "y")], ['{"a":"x', '","b":"y"'], "}"),
    (
        "scalars",
        [value("$.a", numberValue=1), value("$.b", numberValue=2.5), value("$.c", boolValue=False)],
        ['{"a":1', ',"b":2.5', ',"c":false'],
        "}",
    ),
    (
        "a null in both forms",
        [value("$.a", nullValue=None), value("$.b", nullValue="NULL_VALUE")],
        ['{"a":null', ',"b":null'],
        "}",
    ),
    (
        "nested",
        [text("$.a.b[0].c", "1"), text("$.a.b[0].d", "2"), text("$.a.b[1].c", "3"), text("$.e", "4")],
        ['{"a":{"b":[{"c":"1"', ',"d":"2"', '},{"c":"3"', '}]},"e":"4"'],
        "}",
    ),
    (
        "lists in lists",
        [value("$.a[0][0]", numberValue=1), value("$.a[1][0]", numberValue=2)],
        ['{"a":[[1', "],[2"],
        "]]}",
    ),
    ("quoted names", [text("$['a b']", "1"), text('$["c.d"].e', "2")], ['{"a b":"1"', ',"c.d":{"e":"2"'], "}}"),
    ("only whether it goes on", [value("$.a", willContinue=True), text("$.a", "x")], ['{"a":"', 'x"'], "}"),
    ("no value", [value("$.a")], [""], "{}"),
    ("half a character", [text("$.a", "\ud83d", True), text("$.a", "\ude00")], ['{"a":"', '😀"'], "}"),
    ("half a character at the end", [text("$.a", "x\ud83d", True)], ['{"a":"x'], '\ufffd"}'),
]


@pytest.mark.parametrize(
    ("values", "pieces", "last"), [case[1:] for case in IN_ORDER], ids=[case[0] for case in IN_ORDER]
)
def test_values_in_order_are_the_next_pieces_of_the_text(
    values: list[dict[str, Any]], pieces: list[str], last: str
) -> None:
    arguments = PartialArguments()
    assert [arguments.add(msgspec.convert(each, PartialArg)) for each in values] == pieces
    assert arguments.finish() == (last, False)
    json.loads("".join(pieces) + last)


# name, values, what they make
OUT_OF_ORDER: list[tuple[str, list[dict[str, Any]], Any]] = [
    (
        "texts in turns",
        [text("$.a", "1", True), text("$.b", "2", True), text("$.a", "3"), text("$.b", "4")],
        {"a": "13", "b": "24"},
    ),
    (
        "back into an object",
        [text("$.a.b", "1"), text("$.c", "2"), text("$.a.d", "3")],
        {"a": {"b": "1", "d": "3"}, "c": "2"},
    ),
    ("back into a list", [text("$.a[1]", "y"), text("$.a[0]", "x")], {"a": ["x", "y"]}),
    ("a value once more", [text("$.a", "1"), text("$.a", "2")], {"a": "2"}),
    ("an object in place of a value", [text("$.a", "1"), text("$.a.b", "2")], {"a": {"b": "2"}}),
    ("a value in place of an object", [text("$.a.b", "1"), text("$.a", "2")], {"a": "2"}),
    ("a place and a name", [text("$.a[0]", "1"), text("$.a.b", "2")], {"a": {"0": "1", "b": "2"}}),
    (
        "half a character, then another text",
        [text("$.a", "\ud83d", True), text("$.b", "x"), text("$.a", "\ude00")],
        {"a": "😀", "b": "x"},
    ),
]


@pytest.mark.parametrize(
    ("values", "whole"), [case[1:] for case in OUT_OF_ORDER], ids=[case[0] for case in OUT_OF_ORDER]
)
def test_values_out_of_order_are_written_anew_at_the_end(values: list[dict[str, Any]], whole: Any) -> None:
    arguments = PartialArguments()
    for each in values:
        arguments.add(msgspec.convert(each, PartialArg))
    written, anew = arguments.finish()
    assert anew
    assert json.loads(written) == whole


@pytest.mark.parametrize(
    "path", ["", "$", "a", "$.", "$a", "$[0]", "$.a[x]", "$.a[", "$..a", "$" + ".a" * (MAX_DEPTH + 1)]
)
def test_a_path_that_cannot_be_followed_is_an_error(path: str) -> None:
    with pytest.raises(ProtocolError, match="cannot be followed"):
        PartialArguments().add(PartialArg(path, string_value="x"))


NAMES = st.text("ab .[]'\"\\é", min_size=1, max_size=3)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text('ab"\\é😀', max_size=4),
    lambda inner: st.lists(inner, min_size=1, max_size=3) | st.dictionaries(NAMES, inner, min_size=1, max_size=3),
    max_leaves=8,
)


def flat(found: Any, path: str) -> list[dict[str, Any]]:
    """The values of an object from front to back, strings a character at a time."""
    if isinstance(found, dict):
        quoted = {name: name.replace("\\", "\\\\").replace("'", "\\'") for name in found}
        return [each for name, item in found.items() for each in flat(item, f"{path}['{quoted[name]}']")]
    if isinstance(found, list):
        return [each for at, item in enumerate(found) for each in flat(item, f"{path}[{at}]")]
    if isinstance(found, str):
        return [*(text(path, piece, True) for piece in found), text(path, "")]
    kind = "nullValue" if found is None else "boolValue" if isinstance(found, bool) else "numberValue"
    return [value(path, **{kind: found})]


@given(st.dictionaries(NAMES, VALUES, max_size=3))
def test_any_object_comes_out_as_it_went_in(whole: dict[str, Any]) -> None:
    arguments = PartialArguments()
    values = flat(whole, "$")
    pieces = [arguments.add(msgspec.convert(each, PartialArg)) for each in values]
    last, anew = arguments.finish()
    assert not anew
    assert json.loads("".join(pieces) + last) == whole


def test_what_they_take_is_counted() -> None:
    arguments = PartialArguments()
    arguments.add(PartialArg("$.a", string_value="xyz", will_continue=True))
    before = arguments.size
    arguments.add(PartialArg("$.a", string_value="12345", will_continue=True))
    assert (before >= 3, arguments.size - before) == (True, 5)
