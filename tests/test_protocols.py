"""Dialects are found by name."""

from __future__ import annotations

import pytest

from streamkit.errors import ConfigError
from streamkit.protocols import PROTOCOLS, get_protocol


@pytest.mark.parametrize("name", PROTOCOLS)
def test_a_dialect_goes_by_its_name_and_so_does_its_parser(name: str) -> None:
    assert get_protocol(name).name == name == get_protocol(name).parser().protocol


def test_an_unknown_dialect_is_refused_with_those_that_are_known() -> None:
    with pytest.raises(ConfigError, match="morse.*openai-chat"):
        get_protocol("morse")
