"""Requests in foundation's form, and in ours.

Lost on the way to ours: `repeat_penalty`, `cache_retention` and `chat_template`, which no field common to all
providers says, and one of a thinking level and a thinking budget where both are given (the budget holds); what tools
lose is said in `tools`. Lost on the way back: `n`, `logprobs`, `user`, `service_tier`, `parallel_tool_calls`,
`provider`, `foreign_thinking`, `extra`, and thinking and tool choices in a provider's own form; what is None comes back
as foundation's default.
"""

from __future__ import annotations

from typing import Any, Literal, TypeAlias, Union

from msgspec import Struct, field

from streamkit.interop.foundation.convert import from_foundation, to_foundation
from streamkit.interop.foundation.messages import Messages
from streamkit.interop.foundation.tools import ToolDeclarations, from_specs, to_specs
from streamkit.messages import Message
from streamkit.parts import Part, TextPart
from streamkit.protocols.request import Request

__all__ = [
    "JsonObject",
    "JsonSchema",
    "ModelInteraction",
    "ModelParams",
    "OutputFormat",
    "TextFormat",
    "from_request",
    "to_request",
]

_ANY_OBJECT = {"type": "object"}


class TextFormat(Struct, frozen=True, tag="text"):
    """The answer is text."""


class JsonObject(Struct, frozen=True, tag="json_object"):
    """The answer is some JSON object."""


class JsonSchema(Struct, frozen=True, tag="json_schema"):
    """The answer is JSON of this schema."""

    schema: dict[str, Any]
    name: str = "answer"


OutputFormat: TypeAlias = Union[TextFormat, JsonObject, JsonSchema]


class ModelParams(Struct, omit_defaults=True):
    """How to sample, with foundation's defaults; what a model does not take is ignored."""

    max_tokens: int = 2048
    temperature: float = 0.7
    top_p: float = 0.9
    top_k: float = 40.0
    repeat_penalty: float = 1.1
    seed: int | None = None
    stop_tokens: list[str] = field(default_factory=list)
    thinking_level: str | None = None
    thinking_budget: int | None = None
    cache_retention: Literal["none", "short", "long"] | None = None
    output_format: OutputFormat = TextFormat()
    frequency_penalty: float | None = None
    presence_penalty: float | None = None
    logit_bias: dict[str, float] | None = None


class ModelInteraction(Struct, omit_defaults=True):
    """What is asked: `tool_choice` is `auto`, `none`, `required` or the name of a tool."""

    system_prompt: str | None = None
    soul: str | None = None
    tools_shed: ToolDeclarations = field(default_factory=ToolDeclarations)
    messages: list[Messages] = field(default_factory=list)
    chat_template: str | None = None
    tool_choice: str | None = None


def to_request(interaction: ModelInteraction, params: ModelParams, model: str) -> Request:
    """Return a request to `model`; the soul is the second part of the system message at the front."""
    texts = [interaction.system_prompt or "", interaction.soul] if interaction.soul else [interaction.system_prompt]
    front: list[Part] = [TextPart(text) for text in texts if text is not None]
    system = [Message("system", front)] if front else []
    output = params.output_format
    schema = (
        output.schema if isinstance(output, JsonSchema) else _ANY_OBJECT if isinstance(output, JsonObject) else None
    )
    return Request(
        model=model,
        messages=[*system, *from_foundation(interaction.messages)],
        tools=[*to_specs(interaction.tools_shed)],
        tool_choice=interaction.tool_choice,
        max_tokens=params.max_tokens,
        temperature=params.temperature,
        top_p=params.top_p,
        top_k=int(params.top_k),
        presence_penalty=params.presence_penalty,
        frequency_penalty=params.frequency_penalty,
        stop=params.stop_tokens or None,
        seed=params.seed,
        logit_bias=params.logit_bias,
        thinking=params.thinking_level if params.thinking_budget is None else params.thinking_budget,
        output_schema=schema,
        output_name=output.name if isinstance(output, JsonSchema) else "answer",
    )


def from_request(request: Request) -> tuple[ModelInteraction, ModelParams]:
    """Return a request in foundation's form; a system message at its front is the prompt, its second part the soul."""
    messages = request.messages
    interaction = ModelInteraction(tools_shed=from_specs(request.tools))
    if messages and messages[0].role == "system":
        texts = [part.text for part in messages[0].contents if isinstance(part, TextPart)]
        interaction.system_prompt = (texts[0] if texts else "") or None
        interaction.soul = "".join(texts[1:]) or None
        messages = messages[1:]
    interaction.messages = to_foundation(messages)
    interaction.tool_choice = request.tool_choice if isinstance(request.tool_choice, str) else None
    defaults = ModelParams()
    return interaction, ModelParams(
        max_tokens=defaults.max_tokens if request.max_tokens is None else request.max_tokens,
        temperature=defaults.temperature if request.temperature is None else request.temperature,
        top_p=defaults.top_p if request.top_p is None else request.top_p,
        top_k=defaults.top_k if request.top_k is None else float(request.top_k),
        seed=request.seed,
        stop_tokens=list(request.stop or ()),
        thinking_level=request.thinking if isinstance(request.thinking, str) else None,
        thinking_budget=request.thinking if isinstance(request.thinking, int) else None,
        output_format=_format(request),
        frequency_penalty=request.frequency_penalty,
        presence_penalty=request.presence_penalty,
        logit_bias=request.logit_bias,
    )


def _format(request: Request) -> OutputFormat:
    if request.output_schema is None:
        return TextFormat()
    return (
        JsonObject() if request.output_schema == _ANY_OBJECT else JsonSchema(request.output_schema, request.output_name)
    )
