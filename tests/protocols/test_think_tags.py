"""Think tags in any cut."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streamkit.protocols.think_tags import ThinkTags


def split(pieces: list[str], *, inside: bool = False) -> list[tuple[str, str]]:
    """The pieces with neighbours of one kind joined."""
    tags = ThinkTags(inside=inside)
    out: list[tuple[str, str]] = []
    for kind, piece in [pair for text in pieces for pair in tags.feed(text)] + tags.finish():
        assert piece
        if out and out[-1][0] == kind:
            out[-1] = kind, out[-1][1] + piece
        else:
            out.append((kind, piece))
    return out


CASES = [
    ("no tags", "Hi", False, [("text", "Hi")]),
    ("thinking first", "<think>hm</think>Hi", False, [("thinking", "hm"), ("text", "Hi")]),
    ("white space stays", "<think>\nhm\n</think>\n\nHi", False, [("thinking", "\nhm\n"), ("text", "\n\nHi")]),
    ("twice", "<think>a</think>b<think>c</think>", False, [("thinking", "a"), ("text", "b"), ("thinking", "c")]),
    ("empty thinking", "<think></think>Hi", False, [("text", "Hi")]),
    ("never closed", "<think>hm", False, [("thinking", "hm")]),
    ("a closing tag alone", "a</think>b", False, [("text", "a</think>b")]),
    ("an opening tag inside", "<think>a<think>b</think>c", False, [("thinking", "a<think>b"), ("text", "c")]),
    ("what looks like a tag", "a <thinker> <b> < <<think", False, [("text", "a <thinker> <b> < <<think")]),
    (
        "a tag after its own beginning",
        "<<think>a</</think>b",
        False,
        [("text", "<"), ("thinking", "a</"), ("text", "b")],
    ),
    ("starts inside", "hm</think>Hi", True, [("thinking", "hm"), ("text", "Hi")]),
    ("starts inside with a tag", "<think>hm</think>Hi", True, [("thinking", "hm"), ("text", "Hi")]),
    ("starts inside with a tag after a line", "\n<think>hm</think>Hi", True, [("thinking", "\nhm"), ("text", "Hi")]),
    ("starts inside with half a tag", "<thi", True, [("thinking", "<thi")]),
    ("starts inside with another tag", "<b>hm</think>", True, [("thinking", "<b>hm")]),
    ("only white space", "\n \n", True, [("thinking", "\n \n")]),
]


@pytest.mark.parametrize(("text", "inside", "expected"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_tags_are_split_out(text: str, inside: bool, expected: list[tuple[str, str]]) -> None:
    assert split([text], inside=inside) == expected
    assert split(list(text), inside=inside) == expected


@given(
    st.lists(st.sampled_from(["<think>", "</think>", "<", "<thi", "nk>", "</", "a", "\n"])), st.booleans(), st.data()
)
def test_no_cut_matters(parts: list[str], inside: bool, data: st.DataObject) -> None:
    text = "".join(parts)
    places = sorted(data.draw(st.lists(st.integers(0, len(text)))))
    pieces = [text[a:b] for a, b in zip([0, *places], [*places, len(text)], strict=True)]
    assert split(pieces, inside=inside) == split([text], inside=inside)


HELD = [("a<", "a"), ("a<think", "a"), ("a<thinks", "a<thinks"), ("a<b<th", "a<b"), ("a>", "a>")]


@pytest.mark.parametrize(("text", "given_out"), HELD)
def test_only_what_may_become_a_tag_is_held_back(text: str, given_out: str) -> None:
    assert ThinkTags().feed(text) == [("text", given_out)]
