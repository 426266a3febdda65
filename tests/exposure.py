"""What an error shows to whoever looks at it."""

from __future__ import annotations

import traceback
from pathlib import Path

import streamkit

__all__ = ["shown"]

OURS = Path(streamkit.__file__).parent  # the tests' own frames may hold what they send


def shown(error: BaseException) -> str:
    """All that a log, a debugger or a tracker of errors shows of an error: its chain, and the locals of our frames."""
    parts = []
    link: BaseException | None = error
    while link is not None:
        parts += [str(link), repr(link), repr(vars(link)), repr(getattr(link, "request", None))]
        link = link.__cause__ or link.__context__
    trace = traceback.TracebackException.from_exception(error, capture_locals=True)
    for frame in trace.stack:
        if Path(frame.filename).is_relative_to(OURS):
            parts.append(repr(frame.locals))
    return "\n".join([*parts, *traceback.format_exception(error)])
