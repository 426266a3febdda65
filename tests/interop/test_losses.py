from __future__ import annotations

import pytest

from streamkit.errors import HistoryWarning
from streamkit.interop.losses import warn_left_out
from streamkit.parts import RawPart


def test_the_warning_says_what_is_left_out_and_of_what() -> None:
    with pytest.warns(HistoryWarning, match="a list of content items has no place for a RawPart: it is left out"):
        warn_left_out(RawPart({"type": "new"}), "a list of content items")
