"""Diffs of Gradio's outputs: edge case 12 of backends that send all so far."""

from __future__ import annotations

from typing import Any

import pytest

from streamkit.errors import ProtocolError
from streamkit.protocols.gradio.diffs import apply_diff

CHAT = [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "He"}]

CASES: list[tuple[str, Any, list[Any], Any]] = [
    ("nothing", "a", [], "a"),
    ("a text goes on", "Hi", [["append", [], " there"]], "Hi there"),
    ("a text is another", "Hi", [["replace", [], "Ho"]], "Ho"),
    ("a value of another kind", None, [["replace", [], "Hi"]], "Hi"),
    ("a text inside", [{"a": ["x"]}], [["append", [0, "a", 0], "y"]], [{"a": ["xy"]}]),
    ("a value inside", [{"a": 1}], [["replace", [0, "a"], 2]], [{"a": 2}]),
    ("an item more", ["a"], [["add", [1], "b"]], ["a", "b"]),
    ("an item between", ["a", "c"], [["add", [1], "b"]], ["a", "b", "c"]),
    ("an item beyond the list", ["a"], [["add", [9], "b"]], ["a", "b"]),
    ("a field more", {"a": 1}, [["add", ["b"], 2]], {"a": 1, "b": 2}),
    ("an item less", ["a", "b"], [["delete", [0], None]], ["b"]),
    ("a field less", {"a": 1, "b": 2}, [["delete", ["b"], None]], {"a": 1}),
    ("two items less, counted as they go", ["a", "b", "c"], [["delete", [1], None], ["delete", [1], None]], ["a"]),
    ("items less, counted from the end", ["a", ["b", "c"]], [["delete", [1, -1], None]], ["a", ["b"]]),
    ("a list goes on", ["a"], [["append", [], ["b"]]], ["a", "b"]),
    ("several edits", ["a"], [["append", [0], "b"], ["add", [1], "c"], ["replace", [0], "x"]], ["x", "c"]),
    ("a chat", CHAT, [["append", [1, "content"], "llo"]], [CHAT[0], {"role": "assistant", "content": "Hello"}]),
]


@pytest.mark.parametrize(("value", "diff", "after"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_a_diff_makes_of_a_value_another(value: Any, diff: list[Any], after: Any) -> None:
    assert apply_diff(value, diff) == after


MISFITS: list[tuple[str, Any, Any]] = [
    ("an item that is not there", ["a"], [["replace", [1], "b"]]),
    ("a field that is not there", {}, [["append", ["a"], "b"]]),
    ("a way that is not there", {}, [["replace", ["a", "b"], 1]]),
    ("an item less of none", [], [["delete", [0], None]]),
    ("a number for a name", {"a": 1}, [["append", ["a"], "b"]]),
    ("a text on a list", ["a"], [["append", [], "b"]]),
    ("a text on nothing", None, [["append", [], "b"]]),
    ("a number on a number", 1, [["append", [], 1]]),
    ("a place before the first", ["a"], [["replace", [-2], "b"]]),
    ("a place that is no number", ["a"], [["replace", ["x"], "b"]]),
    ("a place that is true", ["a", "b"], [["replace", [True], "b"]]),
    ("an edit within a text", "abc", [["replace", [0], "b"]]),
    ("a deletion of all", "a", [["delete", [], None]]),
    ("an addition of all", "a", [["add", [], "b"]]),
    ("an action that nobody knows", ["a"], [["swap", [0], "b"]]),
    ("an edit without a value", "a", [["append", []]]),
    ("an edit that is none", "a", ["append"]),
    ("a path that is none", ["a"], [["append", 5, "b"]]),
    ("a text in its place", "a", "ab"),
]


@pytest.mark.parametrize(("value", "diff"), [case[1:] for case in MISFITS], ids=[case[0] for case in MISFITS])
def test_a_diff_that_does_not_fit_is_an_error_that_shows_it(value: Any, diff: Any) -> None:
    with pytest.raises(ProtocolError, match="Gradio"):
        apply_diff(value, diff)
