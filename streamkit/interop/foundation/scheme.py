"""JSON Schemas built in code, and the check of a tool's arguments against one.

`object().required("q", string("what to look for")).optional("n", integer()).build()`
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import deepcopy
from typing import Any

from msgspec import Struct, field

from streamkit.errors import ToolError

__all__ = ["Args", "Scheme", "array", "boolean", "enum", "integer", "number", "object", "string"]

_TYPES: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "array": (list,),
    "object": (dict,),
    "null": (type(None),),
}


class Scheme:
    """A schema that is being built; each method returns a new one."""

    def __init__(self, schema: Mapping[str, Any]) -> None:
        self._schema = dict(schema)

    def required(self, name: str, of: Scheme) -> Scheme:
        """Add a property that must be there."""
        return self._with(name, of, [*self._others(name), name])

    def optional(self, name: str, of: Scheme) -> Scheme:
        """Add a property that may be left out."""
        return self._with(name, of, self._others(name))

    def describe(self, description: str) -> Scheme:
        """Say what it is for."""
        return Scheme({**self._schema, "description": description})

    def build(self) -> dict[str, Any]:
        """Return the JSON Schema, one of the caller's own."""
        return deepcopy(self._schema)

    def _others(self, name: str) -> list[str]:
        return [one for one in self._schema.get("required", ()) if one != name]

    def _with(self, name: str, of: Scheme, required: list[str]) -> Scheme:
        properties = {**self._schema.get("properties", {}), name: of.build()}
        schema = {**self._schema, "properties": properties, "required": required}
        return Scheme(schema if required else {key: value for key, value in schema.items() if key != "required"})


def object() -> Scheme:
    """An object without properties yet."""
    return Scheme({"type": "object", "properties": {}})


def string(description: str = "") -> Scheme:
    """A text."""
    return _scalar("string", description)


def integer(description: str = "") -> Scheme:
    """A whole number."""
    return _scalar("integer", description)


def number(description: str = "") -> Scheme:
    """A number."""
    return _scalar("number", description)


def boolean(description: str = "") -> Scheme:
    """True or false."""
    return _scalar("boolean", description)


def enum(values: Sequence[Any], description: str = "") -> Scheme:
    """One of these values."""
    return Scheme({"enum": list(values), **({"description": description} if description else {})})


def array(of: Scheme, description: str = "") -> Scheme:
    """A list of such values."""
    return Scheme({"type": "array", "items": of.build(), **({"description": description} if description else {})})


class Args(Struct, frozen=True):
    """What a tool takes: a JSON Schema of an object, and the check against it.

    The check knows `type`, `enum`, `required`, `properties`, `items` and `additionalProperties: false`; other keywords
    of a schema that was given as it is reach the model, and are not checked.
    """

    schema: dict[str, Any] = field(default_factory=lambda: {"type": "object", "properties": {}})

    @classmethod
    def from_value(cls, schema: Mapping[str, Any]) -> Args:
        """Take a schema as it is."""
        return cls(dict(schema))

    @classmethod
    def empty(cls) -> Args:
        """Return what a tool without arguments takes."""
        return cls()

    def problems(self, arguments: Mapping[str, Any] | None) -> list[str]:
        """Return what is wrong, in words for the model; no arguments are an empty object."""
        out: list[str] = []
        _check(dict(arguments or {}), self.schema, "", out)
        return out

    def validate(self, arguments: Mapping[str, Any] | None) -> dict[str, Any]:
        """Return the arguments; raises `ToolError` with all that is wrong."""
        if problems := self.problems(arguments):
            raise ToolError("; ".join(problems))
        return dict(arguments or {})


def _scalar(type: str, description: str) -> Scheme:
    return Scheme({"type": type, **({"description": description} if description else {})})


def _check(value: Any, schema: Mapping[str, Any], path: str, out: list[str]) -> None:
    where = path or "the arguments"
    given = schema.get("type")
    types = [given] if isinstance(given, str) else given or []
    if types and not any(_is(value, type) for type in types):
        out.append(f"{where}: expected {' or '.join(types)}")
        return
    values = schema.get("enum")
    if isinstance(values, list) and not any(_same(value, one) for one in values):
        out.append(f"{where}: not one of {', '.join(map(repr, values))}")
    if isinstance(value, dict):
        properties = schema.get("properties") or {}
        missing = [name for name in schema.get("required") or () if name not in value]
        if missing:
            out.append(f"{path}: missing: {', '.join(missing)}" if path else f"missing: {', '.join(missing)}")
        unknown = [name for name in value if name not in properties]
        if unknown and schema.get("additionalProperties") is False:
            out.append(f"{where}: unknown: {', '.join(unknown)}")
        for name, of in properties.items():
            if name in value and isinstance(of, Mapping):
                _check(value[name], of, f"{path}.{name}" if path else name, out)
    elif isinstance(value, list) and isinstance(schema.get("items"), Mapping):
        for at, item in enumerate(value):
            _check(item, schema["items"], f"{path}[{at}]", out)


def _is(value: Any, type: str) -> bool:
    if isinstance(value, bool):
        return type == "boolean"
    if type == "integer" and isinstance(value, float):
        return value.is_integer()
    return type not in _TYPES or isinstance(value, _TYPES[type])


def _same(one: Any, other: Any) -> bool:
    """Whether two values are the same JSON, in which true is no 1."""
    return isinstance(one, bool) is isinstance(other, bool) and one == other
