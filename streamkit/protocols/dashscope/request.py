"""A request → the body of DashScope's text and multimodal generation.

https://help.aliyun.com/en/model-studio/qwen-api-via-dashscope and the `dashscope` package 2.0.2, checked 2026-11-29.
"""

from __future__ import annotations

from typing import Any

from streamkit.errors import ConfigError
from streamkit.protocols.dashscope.messages import encode_messages, is_multimodal
from streamkit.protocols.parameters import checked_choice, drop_unsupported, merge, warn_of_strict
from streamkit.protocols.quirks import Quirks
from streamkit.protocols.request import EncodedRequest, Request, ToolSpec
from streamkit.protocols.thinking import thinking_budget, thinking_level

__all__ = ["encode_request"]

_PATH = "/services/aigc/{}-generation/generation"
_HEADERS = {"X-DashScope-SSE": "enable", "Accept": "text/event-stream"}

# The fields of `Request` that the parameters have under the same name.
_SAME = (
    "max_tokens",
    "temperature",
    "top_p",
    "top_k",
    "presence_penalty",
    "stop",
    "seed",
    "n",
)
_UNKNOWN = ("frequency_penalty", "logit_bias", "user", "service_tier")


def encode_request(request: Request, quirks: Quirks) -> EncodedRequest:
    """Return the path, the body and the headers of `request`, streaming increments unless `extra` asks otherwise.

    Messages with an image, sound or video go to the multimodal path, and with `quirks.multimodal` all do: a model is
    served by one of the two. What the API does not know is left out with an `UnsupportedParameterWarning`; its own
    parameters go into `extra`, as `{"parameters": {"enable_search": true}}`. Raises `ConfigError` for what the dialect
    cannot say.
    """
    request = drop_unsupported(request, [*_UNKNOWN, *quirks.unsupported])
    warn_of_strict(request)
    multimodal = quirks.multimodal or is_multimodal(request.messages)
    messages = encode_messages(request.messages, quirks, request.provider, multimodal=multimodal)
    if not messages:
        raise ConfigError("there is no message to send")
    parameters: dict[str, Any] = {"result_format": "message", "incremental_output": True, **_tools(request, quirks)}
    parameters |= {name: value for name in _SAME if (value := getattr(request, name)) is not None}
    if request.logprobs is not None:
        parameters["logprobs"] = True
        if request.logprobs:
            parameters["top_logprobs"] = request.logprobs
    parameters |= _thinking(request)
    if request.output_schema is not None:
        schema = {"name": request.output_name, "schema": request.output_schema}
        parameters["response_format"] = {"type": "json_schema", "json_schema": schema}
    body = {"model": request.model, "input": {"messages": messages}, "parameters": parameters}
    body = merge(body, request.extra)
    path = _PATH.format("multimodal" if multimodal else "text")
    asked = body["parameters"]
    whole = isinstance(asked, dict) and asked.get("incremental_output") is False
    return EncodedRequest(path, body, dict(_HEADERS), parser_options={"mode": "cumulative"} if whole else {})


def _tools(request: Request, quirks: Quirks) -> dict[str, Any]:
    out: dict[str, Any] = {}
    if request.tools:
        out["tools"] = [_tool(tool) for tool in request.tools]
        if request.parallel_tool_calls is not None:
            out["parallel_tool_calls"] = request.parallel_tool_calls
    choice = request.tool_choice
    if isinstance(choice, dict):
        out["tool_choice"] = choice
    elif named := checked_choice(request):
        out["tool_choice"] = named
    elif choice is not None and request.tools:
        out["tool_choice"] = quirks.required_word if choice == "required" else choice
    return out


def _tool(tool: ToolSpec | dict[str, Any]) -> dict[str, Any]:
    if isinstance(tool, dict):
        return tool
    function: dict[str, Any] = {"name": tool.name}
    if tool.description:
        function["description"] = tool.description
    extra = {key: value for key, value in tool.extra.items() if key != "cache_control"}
    return {"type": "function", "function": {**function, "parameters": tool.parameters}, **extra}


def _thinking(request: Request) -> dict[str, Any]:
    """Thinking is on or off, with a budget where one is given: as a number, or by a level."""
    thinking = request.thinking
    if thinking is None:
        return {}
    if isinstance(thinking, dict):
        return dict(thinking)
    if thinking_level(thinking) == "off":
        return {"enable_thinking": False}
    if thinking is True:
        return {"enable_thinking": True}
    return {"enable_thinking": True, "thinking_budget": thinking_budget(thinking)}
