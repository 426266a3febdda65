"""A law of every public type: its JSON decodes to an equal value."""

from __future__ import annotations

import inspect
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

import streamkit
from streamkit.messages import Message
from streamkit.parts import Part

# Protocols' and vendors' tables, which hold functions and classes, what a client or a hook is told, what is found on a
# disk, and an output whose value was read from it: never stored.
TABLES = {
    "AgentState",
    "Limits",
    "NextTurn",
    "Protocol",
    "Provider",
    "Quirks",
    "Request",
    "Retry",
    "Retrying",
    "Skill",
    "Tool",
    "ToolRequest",
    "ToolSpec",
    "Turn",
    "TypedOutput",
}
HOMES = ["usage", "timing", "parts", "blocks", "messages", "custom", "deltas", "events", "models", "sessions"]
TYPES = {
    kind
    for home in HOMES
    for name in streamkit._HOME[f"streamkit.{home}"]
    if inspect.isclass(kind := getattr(streamkit, name)) and issubclass(kind, msgspec.Struct)
}

SCALARS: dict[Any, st.SearchStrategy[Any]] = {
    str: st.text(max_size=8),
    int: st.integers(-(2**63), 2**63),
    float: st.floats(allow_nan=False, allow_infinity=False),
    bool: st.booleans(),
    bytes: st.binary(max_size=8),
    type(None): st.none(),
    Any: st.recursive(
        st.none() | st.booleans() | st.integers(-(10**30), 10**30) | st.floats(-1e30, 1e30) | st.text(),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
        max_leaves=5,
    ),
}
# Declared as plain data, since an unknown tag must not be an error.
MEANT = {"contents": list[Part], "part": Part, "content": str | list[Part]}


def values(hint: Any) -> st.SearchStrategy[Any]:
    """Any value of a type of the fields of our structs."""
    if hint in SCALARS:
        return SCALARS[hint]
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is Literal:
        return st.sampled_from(arguments)
    if origin is list:
        return st.lists(values(arguments[0]), max_size=2)
    if origin is tuple:
        return st.lists(values(arguments[0]), max_size=2).map(tuple)
    if origin is dict:
        return st.dictionaries(st.text(max_size=4), values(arguments[1]), max_size=2)
    if inspect.isclass(hint) and issubclass(hint, msgspec.Struct):
        return structs(hint)
    assert origin is Union or arguments, f"a strategy for {hint} is missing"
    return st.one_of([values(argument) for argument in arguments])


def structs(kind: type[msgspec.Struct]) -> st.SearchStrategy[Any]:
    def build() -> st.SearchStrategy[Any]:
        hints = get_type_hints(kind)
        needed, free = {}, {}
        for field in msgspec.structs.fields(kind):
            hint = hints[field.name]
            if field.name in MEANT and (hint is Any or hint == list[Any]):
                hint = MEANT[field.name]
            (needed if field.required else free)[field.name] = values(hint)
        return st.fixed_dictionaries(needed, optional=free).map(lambda fields: kind(**fields))

    return st.deferred(build)


@pytest.mark.parametrize("kind", sorted(TYPES, key=lambda kind: kind.__name__), ids=lambda kind: kind.__name__)
def test_the_json_of_any_value_decodes_to_an_equal_one(kind: type[msgspec.Struct]) -> None:
    @given(structs(kind))
    def check(value: Any) -> None:
        text = msgspec.json.encode(value)
        back = msgspec.json.decode(text, type=kind)
        assert back == value
        assert repr(back) == repr(value)
        assert msgspec.json.encode(back) == text

    check()


def test_the_law_covers_every_public_type_that_is_stored() -> None:
    public = {name for name in streamkit.__all__ if inspect.isclass(getattr(streamkit, name, None))}
    stored = {name for name in public if issubclass(getattr(streamkit, name), msgspec.Struct)}
    assert {kind.__name__ for kind in TYPES} == stored - TABLES
    assert Message in TYPES
