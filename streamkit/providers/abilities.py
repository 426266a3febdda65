"""What may be asked of a vendor: told by what its dialect makes of requests with the row's quirks, never by a list.

So it is what this package sends. Whether one of the vendor's models then does it is another matter.
"""

from __future__ import annotations

import warnings
from typing import Any, Literal, TypeAlias

from msgspec import Struct

from streamkit.errors import ConfigError, UnsupportedParameterWarning
from streamkit.messages import Message
from streamkit.parts import EmbeddedImage, ImagePart, ImageUrl, TextPart
from streamkit.protocols import Request, ToolSpec
from streamkit.protocols.quirks import CHOICES
from streamkit.protocols.thinking import BUDGETS, LEVELS
from streamkit.providers.base import Provider

__all__ = ["Abilities", "Structured", "find_abilities", "structured_by", "takes_system"]

# Any value of each parameter that may be refused; all are within what every vendor takes.
_PARAMETERS: dict[str, Any] = {
    "max_tokens": 9,
    "temperature": 0.5,
    "top_p": 0.5,
    "top_k": 5,
    "presence_penalty": 0.5,
    "frequency_penalty": 0.5,
    "stop": ["."],
    "seed": 7,
    "n": 2,
    "logprobs": 2,
    "logit_bias": {"1": 1.0},
    "user": "u",
    "service_tier": "auto",
}
_TOOL = ToolSpec(name="tool", description="A tool.")
_SCHEMA = {"type": "object", "properties": {}, "required": [], "additionalProperties": False}
_IMAGES: dict[Literal["address", "bytes"], ImagePart] = {
    "address": ImagePart(ImageUrl("https://example.com/image.png")),
    "bytes": ImagePart(EmbeddedImage("image/png", b"\x89PNG")),
}
_BUDGET = (BUDGETS["low"] + BUDGETS["medium"]) // 2  # which no level spends

# Whether an answer follows a schema, or is merely JSON.
Structured: TypeAlias = Literal["schema", "json", "no"]


class Abilities(Struct, frozen=True):
    """What a vendor takes.

    `thinking` are the levels that differ from each other there (`on` where there is but one beside `off`), `budget` is
    whether a number of tokens may be given.
    `tool_choices` are the choices of a tool, empty where there are no tools; `named` is the name of one. `images`
    says how one may be given. `structured` is whether an answer follows a schema, or is merely JSON. `left_out` are
    the parameters that are not sent.
    """

    thinking: list[str]
    budget: bool
    tools: bool
    tool_choices: list[str]
    parallel_calls: bool
    images: list[Literal["address", "bytes"]]
    structured: Structured
    left_out: list[str]


def find_abilities(row: Provider) -> Abilities:
    """Return what the vendor of `row` takes."""
    ask = _Ask(row)
    plain = ask() or {}
    tools = ask.takes(tools=[_TOOL])
    choices = [word for word in CHOICES if tools and ask.takes(tools=[_TOOL], tool_choice=_choice(word))]
    return Abilities(
        thinking=_levels(ask, plain),
        budget=_has_budget(ask),
        tools=tools,
        tool_choices=choices,
        parallel_calls=tools and ask.takes(tools=[_TOOL], parallel_tool_calls=False),
        images=[way for way, image in _IMAGES.items() if ask.takes(messages=[Message("user", [image])])],
        structured=structured_by(row),
        left_out=[name for name, value in _PARAMETERS.items() if not ask.takes(**{name: value})],
    )


def structured_by(row: Provider, schema: dict[str, Any] = _SCHEMA) -> Structured:
    """Return how the vendor of `row` makes answers follow a schema, by default one that all can who can any."""
    ask = _Ask(row)
    plain, answer = ask(), ask(output_schema=schema)
    if answer in (None, plain or {}):
        return "no"
    return "json" if ask.warned else "schema"


def takes_system(row: Provider) -> bool:
    """Return whether the vendor of `row` takes a system message, and not a prompt alone."""
    messages = [Message("system", [TextPart("Be brief.")]), Message("user", [TextPart("Hi.")])]
    return _Ask(row)(messages=messages) is not None


class _Ask:
    """What the row's dialect makes of a request, beside the least one."""

    def __init__(self, row: Provider) -> None:
        self._row = row
        self.warned = False  # by the last request

    def __call__(self, **params: Any) -> dict[str, Any] | None:
        """Return the body, None where the dialect cannot say it."""
        request = Request(**{"model": "model", "messages": [Message("user", [TextPart("Hi.")])], **params})
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", UnsupportedParameterWarning)
            try:
                body = self._row.get_protocol().encode(request, self._row.quirks).body
            except ConfigError:
                body = None
        self.warned = bool(caught)
        return body

    def takes(self, **params: Any) -> bool:
        """Return whether all of it is sent."""
        return self(**params) is not None and not self.warned


def _choice(word: str) -> str:
    return _TOOL.name if word == "named" else word


def _levels(ask: _Ask, plain: dict[str, Any]) -> list[str]:
    """The levels of thinking of which each makes another body; one that is called so at the vendor stands for them."""
    found: list[tuple[dict[str, Any], str]] = []
    for level in LEVELS:
        body = ask(thinking=level)
        if body is None or ask.warned or body == plain:
            continue
        same = next((number for number, (seen, _) in enumerate(found) if seen == body), None)
        if same is None:
            found.append((body, level))
        elif _says(body, level):
            found[same] = (body, level)
    levels = [level for _, level in found]
    asked = [(body, level) for body, level in found if level != "off"]
    if len(asked) == 1 and not _says(*asked[0]):
        levels[-1] = "on"
    return levels


def _says(value: Any, word: str) -> bool:
    """Whether a word stands anywhere in the values of plain data."""
    if isinstance(value, dict):
        return any(_says(item, word) for item in value.values())
    return any(_says(item, word) for item in value) if isinstance(value, list) else value == word


def _has_budget(ask: _Ask) -> bool:
    """Whether a number of tokens makes another body than any level."""
    body = ask(thinking=_BUDGET)
    return body is not None and not ask.warned and body not in [ask(), *(ask(thinking=level) for level in LEVELS)]
