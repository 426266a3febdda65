"""What another form has no place for is told, never dropped in silence."""

from __future__ import annotations

import warnings

from streamkit.errors import HistoryWarning

__all__ = ["warn_left_out"]


def warn_left_out(part: object, form: str) -> None:
    """Warn that `part` is left out because `form` has no place for it."""
    warnings.warn(f"{form} has no place for a {type(part).__name__}: it is left out", HistoryWarning, stacklevel=3)
