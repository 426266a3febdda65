"""What of JSON Schema providers take, where an answer must follow one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import msgspec

__all__ = ["is_strict", "map_schema", "narrowed", "subschemas"]

# Where a schema holds others: by name, one, or several.
_BY_NAME = ("properties", "$defs", "definitions")
_ONE = ("items", "additionalProperties")
_SEVERAL = ("anyOf", "allOf", "oneOf", "prefixItems")

# What OpenAI's strict mode takes; any other word makes it refuse the request.
# https://platform.openai.com/docs/guides/structured-outputs#supported-schemas, checked 2026-11-30.
_STRICT_WORDS = frozenset(
    "type title description properties required additionalProperties items anyOf enum const $ref $defs pattern format "
    "multipleOf minimum maximum exclusiveMinimum exclusiveMaximum minItems maxItems".split()
)
_STRICT_FORMATS = frozenset("date-time time date duration email hostname ipv4 ipv6 uuid".split())

# What Claude's structured outputs take, at Anthropic and on Bedrock; any other limit makes them refuse the request.
# https://platform.claude.com/docs/en/build-with-claude/structured-outputs#json-schema-limitations, checked 2026-11-30.
_NARROW_WORDS = frozenset(
    "type title description properties required additionalProperties items anyOf allOf enum const default $ref $defs "
    "definitions".split()
)
_NARROW_FORMATS = _STRICT_FORMATS | {"uri"}


def subschemas(schema: dict[str, Any]) -> Iterator[Any]:
    """Yield the schemas that stand directly in `schema`; what else it holds (`enum`, `default`) is data."""
    for word in _BY_NAME:
        if isinstance(schema.get(word), dict):
            yield from schema[word].values()
    yield from (schema[word] for word in _ONE if word in schema)
    for word in _SEVERAL:
        if isinstance(schema.get(word), list):
            yield from schema[word]


def map_schema(schema: dict[str, Any], change: Callable[[Any], Any]) -> dict[str, Any]:
    """Return `schema` with each of its `subschemas` changed."""
    out = dict(schema)
    for word, held in schema.items():
        if word in _BY_NAME and isinstance(held, dict):
            out[word] = {name: change(inner) for name, inner in held.items()}
        elif word in _ONE:
            out[word] = change(held)
        elif word in _SEVERAL and isinstance(held, list):
            out[word] = [change(inner) for inner in held]
    return out


def is_strict(schema: Any) -> bool:
    """Whether OpenAI's `strict` takes a schema for the whole of an answer: any other is refused with it.

    It is an object; each object in it requires all its properties and allows no others, all have a type, and no word
    stands in it that is not known there.
    """
    return isinstance(schema, dict) and schema.get("type") == "object" and _is_strict(schema)


def narrowed(schema: dict[str, Any]) -> dict[str, Any] | None:
    """Return a schema as Claude's structured outputs take it, None where they can follow nothing like it.

    What limits a value beyond its type (a minimum, say) is told in its description. None is for one that refers to
    itself, for tuples, and where an object, a list or a value may be any.
    """
    return _narrow(schema) if _can_be_narrow(schema) and not _is_recursive(schema) else None


def _is_strict(schema: Any) -> bool:
    if not isinstance(schema, dict) or not schema.keys() <= _STRICT_WORDS:
        return False
    if "$ref" in schema:
        return len(schema) == 1  # nothing may stand beside it
    if not schema.keys() & {"type", "anyOf"} or schema.get("format", "date") not in _STRICT_FORMATS:
        return False
    if _is(schema, "array") and "items" not in schema:
        return False
    if not _is(schema, "object"):
        return all(map(_is_strict, subschemas(schema)))
    properties = schema.get("properties") or {}
    if schema.get("additionalProperties") is not False or set(schema.get("required") or ()) != set(properties):
        return False
    return all(_is_strict(inner) for inner in subschemas(schema) if inner is not False)


def _can_be_narrow(schema: Any) -> bool:
    if not isinstance(schema, dict) or not schema.keys() & {"type", "anyOf", "oneOf", "allOf", "enum", "const", "$ref"}:
        return False
    if "prefixItems" in schema or (_is(schema, "array") and "items" not in schema):
        return False
    if schema.get("additionalProperties") not in (None, False) or (
        _is(schema, "object") and "properties" not in schema
    ):
        return False
    return all(_can_be_narrow(inner) for inner in subschemas(schema) if inner is not False)


def _narrow(schema: Any) -> Any:
    if not isinstance(schema, dict):
        return schema
    out = map_schema(schema, _narrow)
    if "oneOf" in out:
        out.setdefault("anyOf", out.pop("oneOf"))
    if "properties" in out:
        out["additionalProperties"] = False
    told = [word for word in out if not _is_narrow(word, out[word])]
    if told:
        limits = ", ".join(f"{word}: {msgspec.json.encode(out.pop(word)).decode()}" for word in told)
        out["description"] = f"{out.get('description', '')} ({limits})".lstrip()
    return out


def _is_narrow(word: str, value: Any) -> bool:
    if word == "format":
        return value in _NARROW_FORMATS
    return word in _NARROW_WORDS or (word == "minItems" and value in (0, 1))


def _is_recursive(schema: dict[str, Any]) -> bool:
    """Whether any definition refers to itself, directly or through others."""
    definitions = {name: inner for word in ("$defs", "definitions") for name, inner in (schema.get(word) or {}).items()}
    reached = {name: _targets(inner) for name, inner in definitions.items()}
    for _ in definitions:
        reached = {name: found.union(*(reached.get(other, ()) for other in found)) for name, found in reached.items()}
    return "#" in _targets(schema) or any(name in found for name, found in reached.items())


def _targets(schema: Any) -> set[str]:
    """The last words of the references anywhere in a schema."""
    if not isinstance(schema, dict):
        return set()
    own = {str(schema["$ref"]).rpartition("/")[2]} if "$ref" in schema else set()
    return own.union(*map(_targets, subschemas(schema)))


def _is(schema: dict[str, Any], kind: str) -> bool:
    """Whether a value may be of a type."""
    kinds = schema.get("type")
    return kind in kinds if isinstance(kinds, list) else kind == kinds
