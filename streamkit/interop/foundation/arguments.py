"""The arguments of a call, read one at a time by the type that they should have."""

from __future__ import annotations

import builtins
from collections.abc import Mapping
from typing import Any, TypeVar

import msgspec

from streamkit.errors import ToolError

__all__ = ["ToolArgs"]

T = TypeVar("T")

_I64 = range(-(2**63), 2**63)
_USIZE = range(2**64)


class ToolArgs:
    """Getters by name: `str`, `i64`, `usize`, `f64` and `bool` must be there, their `opt_` forms may be absent or null.

    They raise `ToolError`, in words for the model, for what is missing or of another type. As in JSON Schema, a number
    without a fraction is an integer, and an integer is a number.
    """

    def __init__(self, arguments: Mapping[builtins.str, Any] | None) -> None:
        """Read `arguments`; None, of a call that carries none, is an empty object."""
        if arguments is not None and not isinstance(arguments, Mapping):
            raise ToolError("the arguments are not a JSON object")
        self._arguments = dict(arguments or {})

    def str(self, name: builtins.str) -> builtins.str:
        """Return a text."""
        return self._there(name, self.opt_str(name))

    def i64(self, name: builtins.str) -> int:
        """Return an integer of 64 bits with a sign."""
        return self._there(name, self.opt_i64(name))

    def usize(self, name: builtins.str) -> int:
        """Return an integer of 64 bits from 0."""
        return self._there(name, self.opt_usize(name))

    def f64(self, name: builtins.str) -> float:
        """Return a number."""
        return self._there(name, self.opt_f64(name))

    def bool(self, name: builtins.str) -> builtins.bool:
        """Return true or false."""
        return self._there(name, self.opt_bool(name))

    def opt_str(self, name: builtins.str) -> builtins.str | None:
        """Return a text, None where there is none."""
        value = self._arguments.get(name)
        if value is None or isinstance(value, builtins.str):
            return value
        raise ToolError(f"{name}: expected a string")

    def opt_i64(self, name: builtins.str) -> int | None:
        """Return an integer of 64 bits with a sign, None where there is none."""
        return self._integer(name, _I64)

    def opt_usize(self, name: builtins.str) -> int | None:
        """Return an integer of 64 bits from 0, None where there is none."""
        return self._integer(name, _USIZE)

    def opt_f64(self, name: builtins.str) -> float | None:
        """Return a number, None where there is none."""
        value = self._arguments.get(name)
        if value is None:
            return None
        try:
            if isinstance(value, (int, float)) and not isinstance(value, builtins.bool):
                return float(value)
        except OverflowError:
            raise ToolError(f"{name}: {value} is too large") from None
        raise ToolError(f"{name}: expected a number")

    def opt_bool(self, name: builtins.str) -> builtins.bool | None:
        """Return true or false, None where there is neither."""
        value = self._arguments.get(name)
        if value is None or isinstance(value, builtins.bool):
            return value
        raise ToolError(f"{name}: expected a boolean")

    def opt_value(self, name: builtins.str) -> Any:
        """Return any value as it came, None where there is none."""
        return self._arguments.get(name)

    def parse(self, kind: type[T]) -> T:
        """Return all arguments as a value of `kind`, any type that msgspec converts to."""
        try:
            return msgspec.convert(self._arguments, kind)
        except msgspec.ValidationError as error:
            raise ToolError(builtins.str(error)) from None

    def _integer(self, name: builtins.str, within: range) -> int | None:
        value = self._arguments.get(name)
        if value is None:
            return None
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        if not isinstance(value, int) or isinstance(value, builtins.bool):
            raise ToolError(f"{name}: expected an integer")
        if value not in within:
            raise ToolError(f"{name}: {value} is not between {within.start} and {within.stop - 1}")
        return value

    def _there(self, name: builtins.str, value: T | None) -> T:
        if value is None:
            raise ToolError(f"missing: {name}")
        return value
