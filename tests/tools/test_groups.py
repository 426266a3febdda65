"""Tools under one name."""

from __future__ import annotations

from typing import Any

import pytest

from streamkit.errors import ConfigError
from streamkit.tools import ToolGroup, tool


@tool(depends_on=["find", "clock"])
def remove(id: int) -> str:
    """Remove a note."""
    return f"removed {id}"


def find(words: str) -> list[int]:
    """Find notes."""
    return [len(words)]


def test_a_group_shows_its_commands_as_tools_of_its_name() -> None:
    group = ToolGroup("notes", [find, remove], "What the user wrote down.")
    assert [(one.name, one.description) for one in group.tools] == [
        ("notes-find", "What the user wrote down.\nFind notes."),
        ("notes-remove", "What the user wrote down.\nRemove a note."),
    ]
    assert [one.spec.parameters for one in group.tools] == [one.spec.parameters for one in group.commands]
    assert repr(group) == "<ToolGroup notes: find, remove>"


def test_a_command_depends_on_others_of_its_group_by_their_own_names() -> None:
    group = ToolGroup("notes", [find, remove])
    assert group.tools[1].depends_on == ("notes-find", "clock")
    assert remove.depends_on == ("find", "clock")  # the tool itself is as it was


def test_a_command_does_what_its_tool_does() -> None:
    (found, removed) = ToolGroup("notes", [find, remove]).tools
    assert (found(words="abc"), removed(id=3)) == ([3], "removed 3")


WRONG: list[tuple[str, list[Any], str]] = [
    ("notes", [find, find], "two commands of one name"),
    ("my notes", [find], "'my notes-find' is no name"),
    ("n" * 62, [find], "is no name"),
    ("notes", [3], "no tool"),
]


@pytest.mark.parametrize(("name", "commands", "why"), WRONG, ids=[case[2] for case in WRONG])
def test_what_is_no_group_is_an_error(name: str, commands: list[Any], why: str) -> None:
    with pytest.raises(ConfigError, match=why):
        ToolGroup(name, commands)
