"""The front matter of a skill."""

from __future__ import annotations

import sys
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streamkit.agent.skills.front_matter import (
    MAX_FRONT_MATTER,
    BadSkill,
    FrontMatter,
    parse_front_matter,
    split_front_matter,
)
from streamkit.errors import ConfigError

SPLIT = [
    (b"---\nname: a\n---\nBody\n", b"name: a\n", b"Body\n"),
    (b"---\r\nname: a\r\n---\r\nBody\r\n", b"name: a\r\n", b"Body\r\n"),
    (b"\xef\xbb\xbf---\nname: a\n---\nBody", b"name: a\n", b"Body"),
    (b"--- \t\nname: a\n---\t\n", b"name: a\n", b""),
    (b"---\nname: a\n---", b"name: a\n", b""),
    (b"---\n---\n", b"", b""),
    (b"---\nname: a\n---\nBody\n---\nmore", b"name: a\n", b"Body\n---\nmore"),
    (b"---\nname: '---'\ntext: ---x\n ---\n---\nBody", b"name: '---'\ntext: ---x\n ---\n", b"Body"),
]


@pytest.mark.parametrize(("text", "yaml", "body"), SPLIT)
def test_front_matter_ends_at_the_first_line_of_three_hyphens(text: bytes, yaml: bytes, body: bytes) -> None:
    assert split_front_matter(text) == (yaml, body)


NONE = [b"", b"# Title\n", b"\n---\nname: a\n---\n", b"----\nname: a\n---\n", b" ---\n---\n", b"+++\n+++\n"]


@pytest.mark.parametrize("text", NONE)
def test_a_text_without_front_matter_says_so(text: bytes) -> None:
    with pytest.raises(BadSkill, match="does not begin with front matter"):
        split_front_matter(text)


ENDLESS = [b"---\n", b"---\nname: a\n", b"---\nname: a\n ---\n", b"---\n" + b"#" * MAX_FRONT_MATTER + b"\n---\n"]


@pytest.mark.parametrize("text", ENDLESS, ids=range(len(ENDLESS)))
def test_front_matter_without_an_end_says_so(text: bytes) -> None:
    with pytest.raises(BadSkill, match=f"no end, a line ---, within {MAX_FRONT_MATTER} bytes"):
        split_front_matter(text)


@given(st.integers(MAX_FRONT_MATTER - 20, MAX_FRONT_MATTER + 20), st.sampled_from([b"---\n", b"---\r\n", b"---x\n"]))
def test_a_text_that_is_read_in_part_is_split_like_the_whole(size: int, end: bytes) -> None:
    text = b"---\n" + b"#" * (size - 5) + b"\n" + end + b"Body"

    def split(text: bytes) -> Any:
        try:
            return split_front_matter(text)[0]
        except BadSkill:
            return None

    assert split(text) == split(text[: MAX_FRONT_MATTER + 8])


def test_front_matter_has_what_the_specification_has() -> None:
    yaml = b"""
name: pdf-2
description: >-
  Read PDFs.
  Use it where there is one.
license: Apache-2.0
compatibility: Requires pdftotext
metadata:
  author: example
  version: 1.0
  made: 2026-11-30
allowed-tools: Bash(git:*) Read
anything: [else, {is: ignored}]
"""
    assert parse_front_matter(yaml, "pdf-2") == FrontMatter(
        "pdf-2",
        "Read PDFs. Use it where there is one.",
        "Apache-2.0",
        "Requires pdftotext",
        {"author": "example", "version": "1.0", "made": "2026-11-30"},
        "Bash(git:*) Read",
    )
    listed = parse_front_matter(b"name: a\ndescription: b\nallowed-tools:\n  - Bash(git:*)\n  - Read\n", "a")
    assert listed.allowed_tools == ["Bash(git:*)", "Read"]


def test_every_value_is_text() -> None:
    found = parse_front_matter(b"name: 123\ndescription: yes\nlicense: null\ncompatibility: 3.10\n", "123")
    assert found == FrontMatter("123", "yes", "null", "3.10")


NAMES = ["a", "a-b", "pdf2", "0", "a" * 64]
BAD_NAMES = ["", "A", "a_b", "-a", "a-", "a--b", "a b", "a/b", "..", ".", "a.b", "\N{LATIN SMALL LETTER E WITH ACUTE}"]


@pytest.mark.parametrize("name", NAMES)
def test_a_name_is_small_letters_digits_and_single_hyphens(name: str) -> None:
    assert parse_front_matter(f"name: {name}\ndescription: b".encode(), name).name == name


@pytest.mark.parametrize("name", [*BAD_NAMES, "a" * 65, "a\\n"])
def test_any_other_name_is_refused(name: str) -> None:
    with pytest.raises(BadSkill, match="is no name"):
        parse_front_matter(f'name: "{name}"\ndescription: b'.encode(), name)


FAULTS: list[tuple[bytes, str]] = [
    (b"name: other\ndescription: b", "its name is 'other', but its folder's 'a'"),
    (b"description: b", "missing required field `name`"),
    (b"name: a", "missing required field `description`"),
    (b"name: a\ndescription:", "description is empty"),
    (b"name: a\ndescription: '  '", "description is empty"),
    (b"name: a\ndescription: " + b"x" * 1025, "description has 1025 characters, more than 1024"),
    (b"name: a\ndescription: b\ncompatibility: " + b"x" * 501, "compatibility has 501 characters, more than 500"),
    (b"name: [a]\ndescription: b", r"\$.name"),
    (b"name: a\ndescription: {b: c}", r"\$.description"),
    (b"name: a\ndescription: b\nmetadata: [c]", r"\$.metadata"),
    (b"name: a\ndescription: b\nmetadata: {c: {d: e}}", r"\$.metadata"),
    (b"name: a\ndescription: b\nallowed-tools: [[c]]", "allowed-tools"),
    (b"", "not of the form"),
    (b"just text", "not of the form"),
    (b"- a\n- b", "not of the form"),
    (b"name: a\ndescription: Use it when: there is one", "no YAML: mapping values are not allowed here.*line 2"),
    (b"name: a\ndescription: 'b", "no YAML"),
    (b"name: a\n\tdescription: b", "no YAML"),
    (b"name: a\ndescription: b\n...\nname: b", "no YAML"),
    (b"name: a\ndescription: \x00", "no YAML"),
    (b'name: a\ndescription: "\\U99999999"', "no YAML"),
    (b"name: a\ndescription: \xff", "no UTF-8"),
    (b"name: !!python/object/apply:os.system [ls]\ndescription: b", r"\$.name"),
    (b"name: a\ndescription: !!python/name:os.system ''", "description is empty"),
    (b"name: a\n<<: {description: b}", "missing required field `description`"),
    (b"name: a\ndescription: &x [*x]", "no YAML"),
    (b"? [a]\n: b", "no YAML"),
    (b"- " * 8000, "no YAML: .*recursion"),
]


@pytest.mark.parametrize(("yaml", "words"), FAULTS, ids=range(len(FAULTS)))
def test_what_is_not_of_the_form_is_refused_with_the_reason(yaml: bytes, words: str) -> None:
    with pytest.raises(BadSkill, match=words):
        parse_front_matter(yaml, "a")


def test_what_names_itself_over_and_over_costs_nothing() -> None:
    lines = [b"l0: &l0 [x, x, x, x, x, x, x, x, x]"]
    lines += [b"l%d: &l%d [%s]" % (n, n, b", ".join([b"*l%d" % (n - 1)] * 9)) for n in range(1, 40)]
    lines += [b"m0: &m0 {k: v}"]
    lines += [b"m%d: &m%d {<<: [%s]}" % (n, n, b", ".join([b"*m%d" % (n - 1)] * 9)) for n in range(1, 40)]
    yaml = b"\n".join([b"name: a", b"description: b", *lines])
    assert len(yaml) < MAX_FRONT_MATTER
    assert parse_front_matter(yaml, "a") == FrontMatter("a", "b")
    with pytest.raises(BadSkill, match=r"\$.metadata"):
        parse_front_matter(yaml + b"\nmetadata: *m39", "a")


def test_without_the_extra_it_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "yaml", None)
    with pytest.raises(ConfigError, match=r"streamkit\[skills\]"):
        parse_front_matter(b"name: a\ndescription: b", "a")


@given(st.binary(max_size=200) | st.text(max_size=200).map(lambda text: text.encode("utf-8", "replace")))
def test_any_bytes_are_front_matter_or_refused(yaml: bytes) -> None:
    try:
        assert isinstance(parse_front_matter(yaml, "a"), FrontMatter)
    except BadSkill as error:
        assert str(error).startswith(("its ", "'"))
