"""Arguments that are described by a JSON Schema, or by one struct, in place of a function's signature."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable, Mapping
from typing import Any

import msgspec
from msgspec import Struct

from streamkit.errors import ConfigError, StreamkitWarning, ToolError
from streamkit.extras import how_to_install
from streamkit.tools.signatures import convert, find_context, parameters_of, schema_of

__all__ = ["JSONSchema", "RawSignature", "StructSignature", "read_described"]

# How many faults of one call the model is told, and of how many characters each: an error quotes the value it is about.
MAX_FAULTS = 5
MAX_FAULT = 300


class JSONSchema:
    """A JSON Schema of an object, checked by the library jsonschema where that is installed (the extra `schema`).

    It follows `$schema`, else the draft 2020-12, never fetches a reference, and checks no `format`. Raises
    `ConfigError` for what is no schema of an object.
    """

    def __init__(self, schema: Mapping[str, Any], name: str) -> None:
        self.schema = dict(schema)
        self._name = name
        if self.schema.setdefault("type", "object") != "object":
            raise ConfigError(
                f"tool {name!r}: its arguments are an object, but its schema's type is {schema['type']!r}"
            )
        self.schema.setdefault("properties", {})
        self._told = False
        self._faults = _faults(self.schema, name)

    def check(self, arguments: Mapping[str, Any]) -> None:
        """Raise `ToolError` for arguments that do not fit; warn once where there is nothing to check them by."""
        if self._faults is not None:
            if faults := self._faults(arguments):
                raise ToolError("; ".join(faults))
        elif not self._told:
            self._told = True
            warnings.warn(
                f"the arguments of the tool {self._name!r} are not validated: {how_to_install('schema')}",
                StreamkitWarning,
                stacklevel=2,
            )


class RawSignature(Struct, frozen=True):
    """A function that takes, as keywords, what a JSON Schema describes."""

    described: JSONSchema
    context: str | None

    @property
    def schema(self) -> dict[str, Any]:
        """The JSON Schema of the arguments, as it was given."""
        return self.described.schema

    def validate(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Return the arguments as they are; raises `ToolError` where they do not fit the schema."""
        self.described.check(arguments)
        return dict(arguments)


class StructSignature(Struct, frozen=True):
    """A function that takes one argument, a struct."""

    schema: dict[str, Any]
    model: type[Struct]
    parameter: str
    context: str | None

    def validate(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Return the struct that the arguments make, by the parameter's name; raises `ToolError` where they do not."""
        try:
            return {self.parameter: convert(dict(arguments), self.model)}
        except msgspec.ValidationError as error:
            raise ToolError(str(error)) from None


def read_described(
    function: Callable[..., Any], name: str, described: JSONSchema | type[Struct], bound: Mapping[str, Any]
) -> RawSignature | StructSignature:
    """Return the signature of a function whose arguments are described apart from it.

    Raises `ConfigError` where the function cannot take them.
    """
    context = find_context(function, name, bound)
    parameters = {
        parameter.name: parameter
        for parameter in parameters_of(function, name)
        if parameter.name not in bound and parameter.name != context
    }
    if isinstance(described, JSONSchema):
        _check_fit(parameters, described.schema, name, context)
        return RawSignature(described, context)
    for parameter in parameters.values():
        if parameter.kind in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY):
            return StructSignature(schema_of(described), described, parameter.name, context)
    raise ConfigError(f"tool {name!r}: its function has no parameter that takes the {described.__name__} by keyword")


def _check_fit(
    parameters: Mapping[str, inspect.Parameter], schema: Mapping[str, Any], name: str, context: str | None
) -> None:
    """Raise `ConfigError` where the schema has an argument that the function does not take, or the other way round."""
    properties, kinds = schema["properties"], {parameter.kind for parameter in parameters.values()}
    positional = [parameter for parameter in parameters.values() if parameter.kind is parameter.POSITIONAL_ONLY]
    taken = {*parameters} - {parameter.name for parameter in positional}
    if context in properties:
        raise ConfigError(f"tool {name!r}: {context!r} is both an argument of its schema and its ToolContext")
    if positional:
        raise ConfigError(f"tool {name!r}: a model passes arguments by name, so {positional[0]} cannot be filled")
    if inspect.Parameter.VAR_KEYWORD not in kinds and (untaken := sorted({*properties} - taken)):
        raise ConfigError(f"tool {name!r}: its function takes no {', '.join(untaken)}, which its schema has")


def _faults(schema: Mapping[str, Any], name: str) -> Callable[[Mapping[str, Any]], list[str]] | None:
    """What tells the faults of arguments, None without jsonschema."""
    try:
        from jsonschema import Draft202012Validator
        from jsonschema.exceptions import SchemaError
        from jsonschema.validators import validator_for
        from referencing.jsonschema import EMPTY_REGISTRY
    except ImportError:
        return None
    kind = validator_for(schema, default=Draft202012Validator)
    try:
        kind.check_schema(schema)
    except SchemaError as error:
        raise ConfigError(f"tool {name!r}: its parameters are no JSON Schema: {error.message}{_at(error)}") from None
    # With a registry of its own a validator fetches nothing.
    validator = kind(schema, registry=EMPTY_REGISTRY)

    def faults(arguments: Mapping[str, Any]) -> list[str]:
        found = sorted(validator.iter_errors(arguments), key=lambda error: len(error.absolute_path))
        texts = [f"{_shortened(error.message)}{_at(error)}" for error in found[:MAX_FAULTS]]
        return texts + [f"and {len(found) - MAX_FAULTS} more"] * (len(found) > MAX_FAULTS)

    return faults


def _at(error: Any) -> str:
    return f" - at `{error.json_path}`" if error.absolute_path else ""


def _shortened(text: str) -> str:
    """An error ends by what is wrong, after the value it is about."""
    return text if len(text) <= MAX_FAULT else f"{text[: MAX_FAULT // 2]} … {text[-MAX_FAULT // 2 :]}"
