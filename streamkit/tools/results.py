"""What a tool may return in place of a bare value."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from msgspec import UNSET, UnsetType

from streamkit.errors import ConfigError
from streamkit.usage import Usage

__all__ = ["ToolResult"]


class ToolResult:
    """A value for the model, and what else a tool has to say.

    `value` is what a tool may return by itself: any JSON value, a part, a list of parts, a message's contents.
    `details` (JSON) is for the application: it stands in the message's `meta` and no model sees it. `usage` counts as
    the run's. The tools of the names `added_tool_names` are shown to the model from now on. `terminate` ends the run
    when the calls of its message are answered. `is_error` says that the call failed.

    What is not given has the default; `given` says what was, since a hook's result replaces just that.
    """

    __slots__ = ("added_tool_names", "details", "given", "is_error", "terminate", "usage", "value")

    def __init__(
        self,
        value: Any = UNSET,
        details: Any = UNSET,
        usage: Usage | None | UnsetType = UNSET,
        added_tool_names: Iterable[str] | UnsetType = UNSET,
        terminate: bool | UnsetType = UNSET,
        is_error: bool | UnsetType = UNSET,
    ) -> None:
        if isinstance(added_tool_names, str):
            raise ConfigError(f"added_tool_names is a list of names: put {added_tool_names!r} in brackets")
        fields = {
            "value": value,
            "details": details,
            "usage": usage,
            "added_tool_names": added_tool_names,
            "terminate": terminate,
            "is_error": is_error,
        }
        self.given = frozenset(name for name, field in fields.items() if field is not UNSET)
        self.value: Any = None if value is UNSET else value
        self.details: Any = None if details is UNSET else details
        self.usage = usage or None
        self.added_tool_names = tuple(added_tool_names or ())
        self.terminate = bool(terminate)
        self.is_error = bool(is_error)

    def updated(self, later: ToolResult) -> ToolResult:
        """Return a copy with what was given to `later`."""
        return ToolResult(**{name: getattr(later if name in later.given else self, name) for name in _FIELDS})

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ToolResult):
            return NotImplemented
        return all(getattr(self, name) == getattr(other, name) for name in _FIELDS)

    __hash__ = None  # type: ignore[assignment] # as of any value that may hold a list

    def __repr__(self) -> str:
        said = [f"{name}={getattr(self, name)!r}" for name in _FIELDS if name in self.given]
        return f"ToolResult({', '.join(said)})"


_FIELDS = ("value", "details", "usage", "added_tool_names", "terminate", "is_error")
