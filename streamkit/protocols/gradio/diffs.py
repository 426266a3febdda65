"""What has changed in an output since the record before.

A diff is a list of `[action, path, value]`: `replace`, `append` (a text to a text, a list to a list), `add` (an item of
a list, a field of an object) and `delete`. An empty path is the whole value; servers also count from the end, -1 being
the last, where several items of nested lists are deleted. Facts: `diff` in `gradio/utils.py` of
gradio 6.31.0 and `apply_diff` in `gradio_client/utils.py` 2.7.2, checked 2026-11-30.
"""

from __future__ import annotations

from typing import Any

from streamkit.errors import ProtocolError

__all__ = ["apply_diff"]


def apply_diff(value: Any, diff: Any) -> Any:
    """Return what becomes of `value`, which is changed in place; raises `ProtocolError` where the two do not fit."""
    if not isinstance(diff, list):
        raise ProtocolError(f"an output of a Gradio app is no diff, but {_excerpt(diff)}: was diffs=False meant?")
    for edit in diff:
        try:
            action, path, new = edit
            value = _apply(value, action, path, new)
        except (LookupError, TypeError, ValueError) as error:
            raise ProtocolError(f"an edit of a Gradio output does not fit it ({error}): {_excerpt(edit)}") from None
    return value


def _apply(value: Any, action: Any, path: list[Any], new: Any) -> Any:
    if not path:
        if action == "replace":
            return new
        if action == "append":
            return _joined(value, new)
        raise ValueError(f"{action} needs a path")
    *way, last = map(_step, path)
    place = value
    for step in way:
        place = place[step]
    if action == "add" and isinstance(place, list):
        place.insert(last, new)
    elif action in ("add", "replace"):
        place[last] = new
    elif action == "append":
        place[last] = _joined(place[last], new)
    elif action == "delete":
        del place[last]
    else:
        raise ValueError("no such action")
    return value


def _step(step: Any) -> Any:
    if isinstance(step, str) or type(step) is int:
        return step
    raise ValueError("a path holds names and numbers")


def _joined(value: Any, new: Any) -> Any:
    if type(value) is not type(new) or not isinstance(new, (str, list)):
        raise ValueError("only texts and lists can be appended to their like")
    return value + new


def _excerpt(value: Any) -> str:
    return repr(value)[:100]
