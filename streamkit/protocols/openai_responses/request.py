"""A request → the body of `POST /responses`.

https://platform.openai.com/docs/api-reference/responses/create, checked 2026-11-29.
"""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

from streamkit.errors import ConfigError
from streamkit.protocols.openai_responses.messages import encode_messages
from streamkit.protocols.openai_responses.thinking import encode_thinking
from streamkit.protocols.openai_responses.views import NO_INDEX
from streamkit.protocols.parameters import checked_choice, drop_unsupported, merge
from streamkit.protocols.quirks import Quirks
from streamkit.protocols.request import EncodedRequest, Request, ToolSpec
from streamkit.protocols.schemas import is_strict

__all__ = ["encode_request", "encode_resume"]

# The fields of `Request` that the API has no field for.
_UNKNOWN = ("top_k", "presence_penalty", "frequency_penalty", "stop", "seed", "n", "logit_bias")

# The fields of the body that make the provider keep the answer or take up one that it kept.
_STORING = ("store", "background", "previous_response_id", "conversation")


def encode_request(request: Request, quirks: Quirks) -> EncodedRequest:
    """Return the path and the body of `request`, streaming.

    The conversation is the caller's, so the provider is told to store nothing, unless a field of `extra` is about
    stored answers (`store`, `background`, `previous_response_id`, `conversation`). What the API does not know is left
    out with an `UnsupportedParameterWarning`: top_k, penalties, stop, seed, n, logit bias. Raises `ConfigError` for
    what the dialect cannot say.
    """
    request = drop_unsupported(request, [*_UNKNOWN, *quirks.unsupported])
    stored = any(request.extra.get(field) for field in _STORING)
    items = encode_messages(request.messages, quirks, request.provider, stored=stored)
    if not items:
        raise ConfigError("there is no message to send")
    body: dict[str, Any] = {"model": request.model, "input": items, "stream": True}
    if not stored:
        body["store"] = False
    if request.tools:
        body["tools"] = [_tool(tool) for tool in request.tools]
    body |= _choice(request)
    if request.max_tokens is not None:
        body["max_output_tokens"] = request.max_tokens
    body |= {name: value for name in ("temperature", "top_p") if (value := getattr(request, name)) is not None}
    body |= encode_thinking(request, quirks)
    if request.logprobs is not None:
        body["include"] = [*body.get("include", ()), "message.output_text.logprobs"]
        body["top_logprobs"] = request.logprobs
    if request.output_schema is not None:
        body["text"] = {"format": _format(request)}
    if request.user is not None:
        body["safety_identifier"] = request.user
    if request.service_tier is not None:
        body["service_tier"] = request.service_tier
    return EncodedRequest("/responses", merge(body, request.extra), kept=bool(request.extra.get("background")))


def encode_resume(response_id: str, last_sequence: int = NO_INDEX) -> EncodedRequest:
    """Return the request for what follows event number `last_sequence` of a response that the provider stored.

    Only a response made with `background` can be gone on with while it runs.
    Raises `ConfigError` where there is no id.
    """
    if not response_id:
        raise ConfigError("a response can be gone on with only by its id, and none has come")
    after = f"&starting_after={last_sequence}" if last_sequence != NO_INDEX else ""
    return EncodedRequest(f"/responses/{quote(response_id, safe='')}?stream=true{after}", {}, method="GET")


def _tool(tool: ToolSpec | dict[str, Any]) -> dict[str, Any]:
    if isinstance(tool, dict):
        return tool
    out: dict[str, Any] = {"type": "function", "name": tool.name}
    if tool.description:
        out["description"] = tool.description
    out["parameters"] = tool.parameters
    out["strict"] = bool(tool.strict)  # which is true where it is missing, and then refuses most schemas
    return out | {key: value for key, value in tool.extra.items() if key != "cache_control"}


def _choice(request: Request) -> dict[str, Any]:
    """Which tool may be called, and whether several at once; both are refused where there are no tools."""
    out: dict[str, Any] = {}
    choice = request.tool_choice
    if isinstance(choice, dict):
        out["tool_choice"] = choice
    elif named := checked_choice(request):
        custom = any(
            isinstance(tool, dict) and tool.get("type") == "custom" and tool.get("name") == choice
            for tool in request.tools
        )
        out["tool_choice"] = {"type": "custom" if custom else named["type"], "name": choice}
    elif choice is not None and request.tools:
        out["tool_choice"] = choice
    if request.parallel_tool_calls is not None and request.tools:
        out["parallel_tool_calls"] = request.parallel_tool_calls
    return out


def _format(request: Request) -> dict[str, Any]:
    schema = request.output_schema or {}
    strict = {"strict": True} if is_strict(schema) else {}
    return {"type": "json_schema", "name": request.output_name, "schema": schema, **strict}
