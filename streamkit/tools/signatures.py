"""The signature of a function as a JSON Schema of its arguments, and the check of arguments against it."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Union, get_args, get_type_hints

import msgspec
from msgspec import UNSET, Struct, UnsetType

from streamkit.errors import ConfigError, ToolError
from streamkit.tools.context import ToolContext

__all__ = ["Signature", "convert", "find_context", "parameters_of", "read_signature", "schema_of", "unwrap"]


class Signature(Struct, frozen=True):
    """What a function takes: `schema` is the JSON Schema of an object, `required` names what has no default.

    `context` is the parameter that takes the `ToolContext`, if one does.
    """

    schema: dict[str, Any]
    required: tuple[str, ...]
    model: type[Struct]
    context: str | None = None

    def validate(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Return keyword arguments of the annotated types; what is not given is left to the function's default.

        Raises `ToolError` that names what is missing, unknown or of the wrong type, with its path. As in JSON
        Schema, a number without a fraction is an integer.
        """
        known = self.model.__struct_fields__
        missing = [name for name in self.required if name not in arguments]
        unknown = [name for name in arguments if name not in known]
        if missing or unknown:
            wrong = [f"missing: {', '.join(missing)}"] if missing else []
            wrong += [f"unknown: {', '.join(unknown)}; known are: {', '.join(known) or 'none'}"] if unknown else []
            raise ToolError("; ".join(wrong))
        try:
            values = convert(dict(arguments), self.model)
        except msgspec.ValidationError as error:
            raise ToolError(str(error)) from None
        return {name: getattr(values, name) for name in arguments}


def read_signature(
    function: Callable[..., Any], name: str, descriptions: Mapping[str, str], bound: Mapping[str, Any]
) -> Signature:
    """Return the signature of `function`; the parameters in `bound` have their value already and are left out.

    So is the one of a `ToolContext`.

    Raises `ConfigError` for a parameter that no JSON object can fill: `*args`, `**kwargs`, a positional-only one, or
    a type that has no JSON form.
    """
    fields: list[tuple[str, Any, Any]] = []
    defaults: dict[str, Any] = {}
    hints = _hints(function, name)
    context = find_context(function, name, bound)
    for parameter in parameters_of(function, name):
        if parameter.name in bound or parameter.name == context:
            continue
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD, parameter.POSITIONAL_ONLY):
            raise ConfigError(
                f"tool {name!r}: a model passes arguments by name, so {parameter} cannot be filled; "
                "give each argument a parameter of its own that may be passed by keyword"
            )
        hint = hints.get(parameter.name, Any)
        if parameter.default is parameter.empty:
            fields.append((parameter.name, hint, msgspec.NODEFAULT))
        else:
            hint = Union[hint, None] if parameter.default is None and hint is not Any else hint
            fields.append((parameter.name, Union[hint, UnsetType], UNSET))
            defaults[parameter.name] = parameter.default
    try:
        model = msgspec.defstruct("Arguments", fields, kw_only=True, forbid_unknown_fields=True)
        schema = schema_of(model)
    except (TypeError, NameError) as error:
        raise ConfigError(
            f"tool {name!r}: its parameters have no JSON Schema: {str(error).rpartition(chr(10))[2]}; take plain "
            "types, dataclasses or msgspec structs, or describe what it takes by Tool(…, parameters={…})"
        ) from None
    for field, described in schema["properties"].items():
        if field in descriptions:
            described.setdefault("description", descriptions[field])
        if field in defaults:
            _show_default(described, defaults[field])
    return Signature(schema, tuple(schema.get("required", ())), model, context)


def parameters_of(function: Callable[..., Any], name: str) -> list[inspect.Parameter]:
    """Return what a function takes; raises `ConfigError` where that is not known, as of some functions written in C."""
    try:
        return list(inspect.signature(function).parameters.values())
    except ValueError as error:
        raise ConfigError(f"tool {name!r}: {error}; write a function of your own around it") from None


def find_context(function: Callable[..., Any], name: str, bound: Mapping[str, Any]) -> str | None:
    """Return the parameter that is annotated `ToolContext`, or as one that may be None; None where none is."""
    for parameter, hint in _hints(function, name).items():
        if parameter not in ("return", *bound) and (hint is ToolContext or ToolContext in get_args(hint)):
            return parameter
    return None


def convert(value: Any, kind: Any) -> Any:
    """Return plain data as a value of a type; a number without a fraction is an integer, as in JSON Schema.

    Raises `msgspec.ValidationError`, which names the place, where it does not fit.
    """
    try:
        return msgspec.convert(value, kind, str_keys=True)
    except msgspec.ValidationError:
        return msgspec.convert(_whole_numbers(value), kind, str_keys=True)


def schema_of(model: type[Struct]) -> dict[str, Any]:
    """Return the JSON Schema of a struct.

    Definitions are put in their places, since not every provider follows references.
    """
    (reference,), definitions = msgspec.json.schema_components([model], ref_template="#/$defs/{name}")
    own = reference["$ref"].rpartition("/")[2]
    recursive = {name for name in definitions if name in _reachable(definitions[name], definitions, set())}
    schema: dict[str, Any] = _inline(definitions[own], definitions, recursive)
    del schema["title"]
    if used := _reachable(schema, definitions, set()):
        schema["$defs"] = {name: _inline(definitions[name], definitions, recursive) for name in sorted(used)}
    return schema


def unwrap(function: Callable[..., Any]) -> tuple[Callable[..., Any], dict[str, Any]]:
    """Return what a partial or a callable object runs, and the arguments that partials pass by keyword."""
    bound: dict[str, Any] = {}
    while isinstance(function, partial):
        bound = {**function.keywords, **bound}
        function = function.func
    if isinstance(function, (classmethod, staticmethod)):
        function = function.__func__
    if not inspect.isroutine(function) and not isinstance(function, type):
        function = type(function).__call__
    return function, bound


def _hints(function: Callable[..., Any], name: str) -> dict[str, Any]:
    try:
        return get_type_hints(unwrap(function)[0], include_extras=True)
    except (NameError, AttributeError, SyntaxError, TypeError) as error:  # they are run, where they are texts
        raise ConfigError(
            f"tool {name!r}: its annotations cannot be read: {error}; types must be importable from its module"
        ) from None


def _inline(node: Any, definitions: Mapping[str, Any], recursive: set[str]) -> Any:
    if isinstance(node, list):
        return [_inline(item, definitions, recursive) for item in node]
    if not isinstance(node, dict):
        return node
    # `discriminator` is OpenAPI's and says nothing that the tags of the alternatives do not; a field may be called so.
    out = {
        key: _inline(item, definitions, recursive)
        for key, item in node.items()
        if key != "discriminator" or "propertyName" not in item
    }
    name = _target(node)
    if name is None or name in recursive:
        return out
    del out["$ref"]
    return {**_inline(definitions[name], definitions, recursive), **out}


def _reachable(node: Any, definitions: Mapping[str, Any], seen: set[str]) -> set[str]:
    """The definitions that `node` refers to, directly or through others."""
    if isinstance(node, list):
        for item in node:
            _reachable(item, definitions, seen)
    elif isinstance(node, dict):
        name = _target(node)
        if name is not None and name not in seen:
            seen.add(name)
            _reachable(definitions[name], definitions, seen)
        for item in node.values():
            _reachable(item, definitions, seen)
    return seen


def _target(node: dict[str, Any]) -> str | None:
    reference = node.get("$ref")
    return reference.rpartition("/")[2] if isinstance(reference, str) else None


def _show_default(described: dict[str, Any], default: Any) -> None:
    try:
        described["default"] = msgspec.to_builtins(default, str_keys=True)
    except TypeError:
        return  # a default without a JSON form, a sentinel say, is the function's own affair


def _whole_numbers(value: Any) -> Any:
    """The same with 2.0 as 2."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, Mapping):
        return {key: _whole_numbers(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_whole_numbers(item) for item in value]
    return value
