"""A frame is data with a name."""

from __future__ import annotations

from streamkit.wire import Frame


def test_a_frame_without_a_name_has_an_empty_one() -> None:
    assert Frame(b"{}").event == ""
