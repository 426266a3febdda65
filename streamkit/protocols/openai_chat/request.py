"""A request → the body of `POST /chat/completions`.

https://platform.openai.com/docs/api-reference/chat/create, checked 2026-11-29.
"""

from __future__ import annotations

from typing import Any

from streamkit.errors import ConfigError
from streamkit.protocols.openai_chat.choices import encode_choice
from streamkit.protocols.openai_chat.messages import encode_messages
from streamkit.protocols.openai_chat.schemas import push_types
from streamkit.protocols.openai_chat.thinking import encode_thinking
from streamkit.protocols.parameters import drop_unsupported, merge, warn_of_strict, warn_unsupported
from streamkit.protocols.quirks import Quirks
from streamkit.protocols.request import EncodedRequest, Request, ToolSpec
from streamkit.protocols.schemas import is_strict

__all__ = ["encode_request"]

# The fields of `Request` that the body has under the same name.
_SAME = ("temperature", "top_p", "top_k", "presence_penalty", "frequency_penalty", "stop", "n", "logit_bias", "user")


def encode_request(request: Request, quirks: Quirks) -> EncodedRequest:
    """Return the path and the body of `request`, streaming.

    What `quirks.unsupported` names is left out with an `UnsupportedParameterWarning`. Raises `ConfigError` for what
    the dialect cannot say.
    """
    request = drop_unsupported(request, quirks.unsupported)
    if not quirks.strict_tools:
        warn_of_strict(request)
    messages = encode_messages(request.messages, quirks, request.provider)
    if not messages:
        raise ConfigError("there is no message to send")
    body: dict[str, Any] = {quirks.model_field: request.model, "messages": messages, **quirks.fields}
    if quirks.stream_field:
        body["stream"] = True
    if quirks.stream_options:
        body["stream_options"] = {"include_usage": True}
    choice = encode_choice(request, quirks)
    if request.tools and choice is not None:
        body["tools"] = [_tool(tool, quirks) for tool in request.tools]
    body |= choice or {}
    if request.max_tokens is not None:
        body[quirks.max_tokens_field] = request.max_tokens
    body |= {name: value for name in _SAME if (value := getattr(request, name)) is not None}
    if request.temperature is not None:
        body["temperature"] = _temperature(request.temperature, request.provider, quirks)
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
    return EncodedRequest(quirks.chat_path, merge(body, request.extra))


def _tool(tool: ToolSpec | dict[str, Any], quirks: Quirks) -> dict[str, Any]:
    if isinstance(tool, dict):
        return tool
    function: dict[str, Any] = {"name": tool.name}
    if tool.description:
        function["description"] = tool.description
    function["parameters"] = tool.parameters if quirks.union_types else push_types(tool.parameters)
    if tool.strict is not None and quirks.strict_tools:
        function["strict"] = tool.strict
    extra = {key: value for key, value in tool.extra.items() if key != "cache_control" or quirks.cache_control}
    return {"type": "function", "function": function, **extra}


def _temperature(wanted: float, provider: str, quirks: Quirks) -> float:
    if quirks.temperatures is None:
        return wanted
    least, most = quirks.temperatures
    taken = min(max(wanted, least), most)
    if taken != wanted:
        warn_unsupported("temperature", provider, f"{wanted} became {taken}")
    return taken


def _format(request: Request, quirks: Quirks) -> dict[str, Any]:
    schema = request.output_schema or {}
    if not quirks.json_schema:
        if schema:
            why = "it is asked for JSON; put the schema in the instruction"
            warn_unsupported("output_schema", request.provider, why)
        return {"type": "json_object"}
    if quirks.schema_as_value:
        return {"type": "json_object", "value": schema}
    strict = {"strict": True} if is_strict(schema) else {}
    return {"type": "json_schema", "json_schema": {"name": request.output_name, "schema": schema, **strict}}
