"""A request → the body of Cohere's `POST /v2/chat`.

https://docs.cohere.com/v2/reference/chat and the types of the `cohere` package 7.3.1, checked 2026-11-29.
"""

from __future__ import annotations

from typing import Any

from streamkit.errors import ConfigError
from streamkit.protocols.cohere.messages import encode_messages
from streamkit.protocols.parameters import checked_choice, drop_unsupported, merge
from streamkit.protocols.quirks import Quirks
from streamkit.protocols.request import EncodedRequest, Request, ToolSpec
from streamkit.protocols.thinking import thinking_budget, thinking_level

__all__ = ["encode_request"]

# The fields of `Request` and their names in the body.
_FIELDS = {
    "max_tokens": "max_tokens",
    "temperature": "temperature",
    "top_p": "p",
    "top_k": "k",
    "presence_penalty": "presence_penalty",
    "frequency_penalty": "frequency_penalty",
    "stop": "stop_sequences",
    "seed": "seed",
}
_UNKNOWN = ("parallel_tool_calls", "n", "logit_bias", "user", "service_tier")


def encode_request(request: Request, quirks: Quirks) -> EncodedRequest:
    """Return the path and the body of `request`, streaming.

    A named tool is the only one that is sent, and must be called; one strict tool makes all of them strict: the API
    has no other way to say either. Log probabilities are on or off, those of alternatives are not given. Documents,
    `citation_options`, `safety_mode` and `priority` go into `extra`. What the API does not know is left out with an
    `UnsupportedParameterWarning`. Raises `ConfigError` for what the dialect cannot say.
    """
    request = drop_unsupported(request, [*_UNKNOWN, *quirks.unsupported])
    messages = encode_messages(request.messages, quirks, request.provider)
    if not messages:
        raise ConfigError("there is no message to send")
    body: dict[str, Any] = {"model": request.model, "messages": messages, "stream": True, **_tools(request)}
    body |= {name: value for field, name in _FIELDS.items() if (value := getattr(request, field)) is not None}
    if request.logprobs is not None:
        body["logprobs"] = True
    body |= _thinking(request)
    if request.output_schema is not None:
        body["response_format"] = {"type": "json_object", "json_schema": request.output_schema}
    return EncodedRequest("/v2/chat", merge(body, request.extra))


def _tools(request: Request) -> dict[str, Any]:
    tools, choice = request.tools, request.tool_choice
    word: str | dict[str, Any] | None = None
    if isinstance(choice, dict):
        word = choice
    elif checked_choice(request):
        tools, word = [tool for tool in tools if _name(tool) == choice], "REQUIRED"
    elif tools and choice in ("required", "none"):
        word = choice.upper()
    if not tools:
        return {}
    out: dict[str, Any] = {"tools": [_tool(tool) for tool in tools]}
    if any(isinstance(tool, ToolSpec) and tool.strict for tool in tools):
        out["strict_tools"] = True
    return out | ({"tool_choice": word} if word else {})


def _tool(tool: ToolSpec | dict[str, Any]) -> dict[str, Any]:
    if isinstance(tool, dict):
        return tool
    function: dict[str, Any] = {"name": tool.name}
    if tool.description:
        function["description"] = tool.description
    return {"type": "function", "function": {**function, "parameters": tool.parameters}, **tool.extra}


def _name(tool: ToolSpec | dict[str, Any]) -> Any:
    if isinstance(tool, ToolSpec):
        return tool.name
    function = tool.get("function")
    return function.get("name") if isinstance(function, dict) else tool.get("name")


def _thinking(request: Request) -> dict[str, Any]:
    thinking = request.thinking
    if thinking is None:
        return {}
    if isinstance(thinking, dict):
        return {"thinking": thinking}
    if thinking_level(thinking) == "off":
        return {"thinking": {"type": "disabled"}}
    if thinking is True:
        return {"thinking": {"type": "enabled"}}
    return {"thinking": {"type": "enabled", "token_budget": thinking_budget(thinking)}}
