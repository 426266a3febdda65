"""A request → the body of `POST /chat/completions`.

https://platform.openai.com/docs/api-reference/chat/create, checked 2026-11-29.
"""

from __future__ import annotations

from typing import Any

from streamkit.errors import ConfigError
from streamkit.protocols.openai_chat.messages import encode_messages
from streamkit.protocols.openai_chat.thinking import encode_thinking
from streamkit.protocols.parameters import checked_choice, drop_unsupported, is_closed, merge, warn_unsupported
from streamkit.protocols.quirks import Quirks
from streamkit.protocols.request import EncodedRequest, Request, ToolSpec

__all__ = ["encode_request"]

# The fields of `Request` that the body has under the same name.
_SAME = ("temperature", "top_p", "top_k", "presence_penalty", "frequency_penalty", "stop", "n", "logit_bias", "user")


def encode_request(request: Request, quirks: Quirks) -> EncodedRequest:
    """Return the path and the body of `request`, streaming.

    What `quirks.unsupported` names is left out with an `UnsupportedParameterWarning`. Raises `ConfigError` for what
    the dialect cannot say.
    """
    request = drop_unsupported(request, quirks.unsupported)
    messages = encode_messages(request.messages, quirks, request.provider)
    if not messages:
        raise ConfigError("there is no message to send")
    body: dict[str, Any] = {"model": request.model, "messages": messages, "stream": True}
    if quirks.stream_options:
        body["stream_options"] = {"include_usage": True}
    if request.tools:
        body["tools"] = [_tool(tool, quirks) for tool in request.tools]
    body |= _choice(request, quirks)
    if request.max_tokens is not None:
        body[quirks.max_tokens_field] = request.max_tokens
    body |= {name: value for name in _SAME if (value := getattr(request, name)) is not None}
    if request.seed is not None:
        body[quirks.seed_field] = request.seed
    if request.logprobs is not None:
        body["logprobs"] = True
        if request.logprobs:
            body["top_logprobs"] = request.logprobs
    body |= encode_thinking(request, quirks)
    if request.output_schema is not None:
        body["response_format"] = _format(request, quirks)
    if request.service_tier is not None:
        body["service_tier"] = request.service_tier
    return EncodedRequest("/chat/completions", merge(body, request.extra))


def _tool(tool: ToolSpec | dict[str, Any], quirks: Quirks) -> dict[str, Any]:
    if isinstance(tool, dict):
        return tool
    function: dict[str, Any] = {"name": tool.name}
    if tool.description:
        function["description"] = tool.description
    function["parameters"] = tool.parameters
    if tool.strict is not None:
        function["strict"] = tool.strict
    extra = {key: value for key, value in tool.extra.items() if key != "cache_control" or quirks.cache_control}
    return {"type": "function", "function": function, **extra}


def _choice(request: Request, quirks: Quirks) -> dict[str, Any]:
    """Which tool may be called, and whether several at once; a provider refuses both where there are no tools."""
    out: dict[str, Any] = {}
    choice = request.tool_choice
    if isinstance(choice, dict):
        out["tool_choice"] = choice
    elif named := checked_choice(request):
        out["tool_choice"] = named
    elif choice is not None and request.tools:
        out["tool_choice"] = quirks.required_word if choice == "required" else choice
    if request.parallel_tool_calls is not None and request.tools:
        out["parallel_tool_calls"] = request.parallel_tool_calls
    return out


def _format(request: Request, quirks: Quirks) -> dict[str, Any]:
    schema = request.output_schema or {}
    if not quirks.json_schema:
        warn_unsupported("output_schema", request.provider, "it is asked for JSON; put the schema in the instruction")
        return {"type": "json_object"}
    strict = {"strict": True} if is_closed(schema) else {}
    return {"type": "json_schema", "json_schema": {"name": request.output_name, "schema": schema, **strict}}
