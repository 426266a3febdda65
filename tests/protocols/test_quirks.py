"""The table of departures."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec
import pytest

from streamkit.protocols import Quirks, quirks
from streamkit.providers import PROVIDERS, get_provider

FIELDS = {field.name: field for field in msgspec.structs.fields(Quirks)}
SOURCE = Path(quirks.__file__).read_text()

# Fields that no row sets: for servers that users give, or for versions that they pin.
FOR_USERS = {
    "adaptive_thinking",
    "end_without_finish",
    "inline_system",
    "mode",
    "reasoning_snapshots",
    "required_word",
    "think_tag_open",
}


@pytest.mark.parametrize("name", FIELDS)
def test_a_field_says_what_it_is_for(name: str) -> None:
    line = re.search(rf"^    {name}: .*$", SOURCE, re.MULTILINE)
    assert line is not None
    before = SOURCE[: line.start()].rstrip().splitlines()[-1].strip()
    assert "  # " in line.group() or before.startswith("# ")


def test_every_field_is_set_by_a_vendor_or_meant_for_users() -> None:
    rows = [get_provider(name).quirks for name in PROVIDERS]
    unused = {name for name in FIELDS if all(getattr(row, name) == getattr(Quirks(), name) for row in rows)}
    assert unused == FOR_USERS


def test_the_efforts_of_a_row_are_words_that_can_be_asked_for() -> None:
    for name in PROVIDERS:
        assert set(get_provider(name).quirks.efforts) <= set(quirks.EFFORTS)
        assert set(get_provider(name).quirks.efforts) - {"none"}
