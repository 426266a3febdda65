"""A request → the body of `POST /v1/messages`.

https://platform.claude.com/docs/en/api/messages and its page on API versions, checked 2026-11-29.
"""

from __future__ import annotations

from typing import Any

from streamkit.errors import ConfigError
from streamkit.protocols.anthropic.doors import enter, refuse_addresses
from streamkit.protocols.anthropic.messages import encode_messages, is_result, is_thinking
from streamkit.protocols.parameters import (
    checked_choice,
    drop_unsupported,
    fit_output_schema,
    merge,
    warn_unsupported,
)
from streamkit.protocols.quirks import Quirks
from streamkit.protocols.request import EncodedRequest, Request, ToolSpec
from streamkit.protocols.thinking import LATE, begun_without_thinking, thinking_budget, thinking_level

__all__ = ["DEFAULT_MAX_TOKENS", "encode_request"]

# What an answer may take where the caller sets no limit, which the API demands: what every Claude model since 3.5
# allows.
DEFAULT_MAX_TOKENS = 8192

# The version of the API from which on it refuses sampling parameters, even at their defaults.
_WITHOUT_SAMPLING = "2026-10-21"

_SAMPLING = ("temperature", "top_p", "top_k")
_UNKNOWN = ("presence_penalty", "frequency_penalty", "seed", "n", "logprobs", "logit_bias")

# The word of a tool choice, and the API's type for it.
_CHOICES = {"auto": "auto", "none": "none", "required": "any"}


def encode_request(request: Request, quirks: Quirks) -> EncodedRequest:
    """Return the path, the body and the headers of `request`, streaming.

    `max_tokens` is `DEFAULT_MAX_TOKENS` and the budget for thinking where none is set; one that does not exceed that
    budget, which the API refuses, is what the answer may take beside it.
    What the API does not know is left out with an `UnsupportedParameterWarning`: penalties, seed, n, log
    probabilities, logit bias, and in the newer version of the API all sampling parameters; a budget for thinking where
    the turn that goes on began without. Raises `ConfigError` for what the dialect cannot say.
    """
    newer = quirks.anthropic_version[-len(_WITHOUT_SAMPLING) :] >= _WITHOUT_SAMPLING
    request = drop_unsupported(request, [*_UNKNOWN, *quirks.unsupported, *(_SAMPLING if newer else ())])
    system, messages = encode_messages(request.messages, quirks, request.provider)
    if not messages:
        raise ConfigError("there is no message to send: all are empty or part of the system prompt")
    if not quirks.image_urls:
        refuse_addresses(messages)
    thinking = _thinking(request, quirks, messages)
    body: dict[str, Any] = {"model": request.model, "max_tokens": _max_tokens(request, thinking)}
    if system is not None:
        body["system"] = system
    body |= {"messages": messages, "stream": True}
    if request.tools:
        body["tools"] = [_tool(tool) for tool in request.tools]
    if choice := _choice(request):
        body["tool_choice"] = choice
    body |= {name: value for name in _SAMPLING if (value := getattr(request, name)) is not None}
    if request.stop is not None:
        body["stop_sequences"] = request.stop
    body = merge(body, thinking)
    if schema := fit_output_schema(request):
        body = merge(body, {"output_config": {"format": {"type": "json_schema", "schema": schema}}})
    if request.user is not None:
        body["metadata"] = {"user_id": request.user}
    if request.service_tier is not None:
        body["service_tier"] = request.service_tier
    return enter(merge(body, request.extra), quirks)


def _tool(tool: ToolSpec | dict[str, Any]) -> dict[str, Any]:
    if isinstance(tool, dict):
        return tool
    out: dict[str, Any] = {"name": tool.name}
    if tool.description:
        out["description"] = tool.description
    out["input_schema"] = tool.parameters if "type" in tool.parameters else {"type": "object", **tool.parameters}
    if tool.strict is not None:
        out["strict"] = tool.strict
    return out | tool.extra


def _choice(request: Request) -> dict[str, Any]:
    choice = request.tool_choice
    out: dict[str, Any] = {}
    if isinstance(choice, dict):
        out = choice
    elif checked_choice(request):
        out = {"type": "tool", "name": choice}
    elif choice is not None and request.tools:
        out = {"type": _CHOICES[choice]}
    single = request.parallel_tool_calls is False and bool(request.tools)
    if single and out.get("type") != "none":
        return {"type": "auto"} | out | {"disable_parallel_tool_use": True}
    return out


def _thinking(request: Request, quirks: Quirks, turns: list[dict[str, Any]]) -> dict[str, Any]:
    out = _wanted(request, quirks)
    manual = out.get("thinking", {}).get("type") == "enabled"
    if manual and not quirks.unsigned_thinking and begun_without_thinking(turns, is_thinking, is_result):
        warn_unsupported("thinking", request.provider, LATE)
        return {}
    return out


def _wanted(request: Request, quirks: Quirks) -> dict[str, Any]:
    thinking = request.thinking
    if thinking is None:
        return {}
    if isinstance(thinking, dict):
        return {"thinking": thinking}
    level = thinking_level(thinking)
    if level == "off":
        return {"thinking": {"type": "disabled"}}
    if quirks.adaptive_thinking:
        effort = "low" if level == "minimal" else level
        return {"thinking": {"type": "adaptive"}, "output_config": {"effort": effort}}
    return {"thinking": {"type": "enabled", "budget_tokens": thinking_budget(thinking)}}


def _max_tokens(request: Request, thinking: dict[str, Any]) -> int:
    """The limit of tokens, which has to leave room for the answer after the thinking; 0 only warms the cache."""
    budget = thinking.get("thinking", {}).get("budget_tokens") or 0
    limit = request.max_tokens
    if limit is None:
        return DEFAULT_MAX_TOKENS + budget
    return limit + budget if 0 < limit <= budget else limit
