"""A request → the body of `POST /model/{modelId}/converse-stream`.

https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ConverseStream.html, checked 2026-11-29.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from urllib.parse import quote

from streamkit.errors import ConfigError
from streamkit.protocols.bedrock_converse.messages import encode_messages, is_result, is_thinking, used_tools
from streamkit.protocols.bedrock_converse.parts import cache_point
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
from streamkit.protocols.values import json_text

__all__ = ["encode_request"]

_SAMPLING = {"temperature": "temperature", "top_p": "topP", "stop": "stopSequences"}
_UNKNOWN = (
    "parallel_tool_calls",
    "presence_penalty",
    "frequency_penalty",
    "seed",
    "n",
    "logprobs",
    "logit_bias",
    "user",
)

# What a tool takes that the conversation calls and the request no longer has.
_ANYTHING = {"json": {"type": "object", "properties": {}}}


def encode_request(request: Request, quirks: Quirks) -> EncodedRequest:
    """Return the path, the body and the headers of `request`, streaming.

    What Converse leaves to the model goes into `additionalModelRequestFields` in the form of Claude: `top_k`, and
    thinking as a budget of tokens; for another family give `thinking` as a dict of such fields. `maxTokens` leaves
    room for the answer beside the budget. A history with calls is refused without tools, so those that it calls are
    declared where the request has none, and stay where the tool choice is "none". What the API does not know is left
    out with an `UnsupportedParameterWarning`, as is a budget for thinking where the turn that goes on began without.
    Raises `ConfigError` for what the dialect cannot say.
    """
    request = drop_unsupported(request, [*_UNKNOWN, *quirks.unsupported])
    system, messages = encode_messages(request.messages, quirks, request.provider)
    if not messages:
        raise ConfigError("there is no message to send: all are empty or part of the system prompt")
    fields = _model_fields(request, quirks)
    if _is_manual(fields) and begun_without_thinking(messages, is_thinking, is_result):
        warn_unsupported("thinking", request.provider, LATE)
        del fields["thinking"]
    body: dict[str, Any] = {"messages": messages}
    if system:
        body["system"] = system
    if config := _inference(request, fields):
        body["inferenceConfig"] = config
    if tools := _tool_config(request, used_tools(messages)):
        body["toolConfig"] = tools
    if fields:
        body["additionalModelRequestFields"] = fields
    if schema := fit_output_schema(request):
        named = {"schema": json_text(schema), "name": request.output_name}
        body["outputConfig"] = {"textFormat": {"type": "json_schema", "structure": {"jsonSchema": named}}}
    if request.service_tier is not None:
        body["serviceTier"] = {"type": request.service_tier}
    path = f"/model/{quote(request.model, safe='')}/converse-stream"
    return EncodedRequest(path, merge(body, request.extra), {"accept": "application/vnd.amazon.eventstream"})


def _is_manual(fields: dict[str, Any]) -> bool:
    """Whether Claude is asked to think by a budget."""
    thinking = fields.get("thinking")
    return isinstance(thinking, dict) and thinking.get("type") == "enabled"


def _inference(request: Request, fields: dict[str, Any]) -> dict[str, Any]:
    out: dict[str, Any] = {}
    if request.max_tokens is not None:
        thinking = fields.get("thinking")
        budget = thinking.get("budget_tokens") or 0 if isinstance(thinking, dict) else 0
        out["maxTokens"] = request.max_tokens + budget if request.max_tokens <= budget else request.max_tokens
    return out | {name: value for field, name in _SAMPLING.items() if (value := getattr(request, field)) is not None}


def _model_fields(request: Request, quirks: Quirks) -> dict[str, Any]:
    out: dict[str, Any] = {} if request.top_k is None else {"top_k": request.top_k}
    thinking = request.thinking
    if thinking is None:
        return out
    if isinstance(thinking, dict):
        return out | thinking
    level = thinking_level(thinking)
    if level == "off":
        return out | {"thinking": {"type": "disabled"}}
    if quirks.adaptive_thinking:
        effort = "low" if level == "minimal" else level
        return out | {"thinking": {"type": "adaptive"}, "output_config": {"effort": effort}}
    return out | {"thinking": {"type": "enabled", "budget_tokens": thinking_budget(thinking)}}


def _tool_config(request: Request, used: Sequence[str]) -> dict[str, Any]:
    choice = request.tool_choice
    named = None if isinstance(choice, dict) else checked_choice(request)
    tools: list[dict[str, Any]] = []
    if choice != "none":
        tools = [entry for tool in request.tools for entry in _tool(tool)]
    elif used and request.tools:
        warn_unsupported("tool_choice", request.provider, "tools that were called before must stay, so it may call")
        tools = [entry for tool in request.tools for entry in _tool(tool)]
    if not tools and used:
        tools = [{"toolSpec": {"name": name, "inputSchema": _ANYTHING}} for name in used]
    if not tools:
        return {}
    out: dict[str, Any] = {"tools": tools}
    if isinstance(choice, dict):
        out["toolChoice"] = choice
    elif named:
        out["toolChoice"] = {"tool": {"name": choice}}
    elif choice in ("auto", "required") and request.tools:
        out["toolChoice"] = {"auto": {}} if choice == "auto" else {"any": {}}
    return out


def _tool(tool: ToolSpec | dict[str, Any]) -> list[dict[str, Any]]:
    """The entry of a tool, and the cache point behind it."""
    if isinstance(tool, dict):
        return [tool]
    spec: dict[str, Any] = {"name": tool.name}
    if tool.description:
        spec["description"] = tool.description
    schema = tool.parameters if "type" in tool.parameters else {"type": "object", **tool.parameters}
    spec["inputSchema"] = {"json": schema}
    if tool.strict is not None:
        spec["strict"] = tool.strict
    extra = {key: value for key, value in tool.extra.items() if key != "cache_control"}
    return [{"toolSpec": spec | extra}, *cache_point(tool.extra)]
