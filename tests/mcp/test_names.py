"""Names of tools that every provider takes."""

from __future__ import annotations

import re

import pytest

from streamkit.errors import ConfigError
from streamkit.mcp.names import check_prefix, tool_names

TAKEN = re.compile(r"[a-zA-Z0-9_-]{1,64}")


@pytest.mark.parametrize(
    ("original", "prefix", "name"),
    [
        ("search", "", "search"),
        ("search", "git_", "git_search"),
        ("git.log", "", "git_log"),
        ("été", "", "_t_"),
    ],
)
def test_a_name_keeps_what_providers_take(original: str, prefix: str, name: str) -> None:
    assert tool_names([original], prefix) == {original: name}


def test_names_stay_apart_in_any_order() -> None:
    originals = ["a.b", "a_b", "a/b", "x" * 100, "x" * 101, "", "é", "è"]
    names = tool_names(originals, "p-")
    assert names["a_b"] == "p-a_b"
    assert len(set(names.values())) == len(originals)
    assert all(TAKEN.fullmatch(name) for name in names.values())
    assert tool_names(reversed(originals), "p-") == names


@pytest.mark.parametrize("prefix", ["a.b", "a b", "x" * 33])
def test_a_prefix_must_be_able_to_begin_a_name(prefix: str) -> None:
    with pytest.raises(ConfigError, match="no prefix"):
        check_prefix(prefix)
