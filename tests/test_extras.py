"""What is said of installing an extra is said in one way, and leads to this project alone."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from streamkit.extras import how_to_install

ROOT = Path(__file__).parent.parent
EXTRAS = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
TEXTS = [ROOT / "README.md", *sorted(ROOT.glob("docs/*.md")), *sorted(ROOT.glob("streamkit/**/*.py"))]
BY_NAME = re.compile(r"pip install '?streamkit|(?<!/path/to/)streamkit\[")


def test_an_extra_is_installed_from_a_clone_or_by_its_path() -> None:
    said = "pip install '.[mcp]' in a clone of streamkit, pip install '/path/to/streamkit[mcp]' elsewhere"
    assert how_to_install("mcp") == said


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("pip install streamkit", True),
        ("pip install 'streamkit[mcp]'", True),
        ("the extra `streamkit[mcp]`", True),
        ("pip install '/path/to/streamkit[mcp]'", False),
        ("pip install '.[mcp]'", False),
    ],
)
def test_a_name_on_an_index_is_told_from_a_path(text: str, found: bool) -> None:
    assert bool(BY_NAME.search(text)) is found


def test_nothing_is_to_be_installed_by_a_name_that_an_index_gives_to_another_project() -> None:
    assert not [str(path.relative_to(ROOT)) for path in TEXTS if BY_NAME.search(path.read_text())]


def test_each_extra_that_is_named_exists() -> None:
    named = {
        extra
        for path in TEXTS
        for extra in re.findall(r"how_to_install\(['\"](\w+)['\"]\)|\.\[(\w+)\]'|extra `(\w+)`", path.read_text())
    }
    names = {name for groups in named for name in groups if name}
    assert names and names <= EXTRAS.keys()
