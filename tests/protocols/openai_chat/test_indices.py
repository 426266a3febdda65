"""The numbers of choices and calls."""

from __future__ import annotations

from typing import Any

import pytest

from streamkit.protocols.openai_chat.indices import read_index

CASES: list[tuple[Any, int | None]] = [
    (0, 0),
    (7, 7),
    (10**9, 10**9),
    (-1, -1),
    ("0", 0),
    ("12", 12),
    ("9" * 5000, None),
    ("-1", None),
    ("x", None),
    ("", None),
    (True, None),
    (0.0, None),
    (None, None),
    ([0], None),
    ({}, None),
]


@pytest.mark.parametrize(("value", "expected"), CASES, ids=[repr(value)[:12] for value, _ in CASES])
def test_an_index_is_a_number_or_its_digits(value: Any, expected: int | None) -> None:
    found = read_index(value)
    assert found == expected
    assert type(found) is type(expected)
