"""A request → the body of Ollama's `POST /api/chat` or `POST /api/generate`.

Facts: `docs/api.md` and `api/types.go` of https://github.com/ollama/ollama, checked 2026-11-29.
"""

from __future__ import annotations

from typing import Any

from streamkit.errors import ConfigError
from streamkit.protocols.ollama.images import encode_image
from streamkit.protocols.ollama.messages import encode_messages
from streamkit.protocols.parameters import checked_choice, drop_unsupported, merge, warn_of_strict, warn_unsupported
from streamkit.protocols.prompt import encode_prompt
from streamkit.protocols.quirks import Quirks
from streamkit.protocols.request import EncodedRequest, Request, ToolSpec
from streamkit.protocols.thinking import thinking_level

__all__ = ["encode_request"]

# The body fields that only `/api/generate` has.
_OF_GENERATE = frozenset({"suffix", "template", "raw", "context"})

# The fields of `Request` that are options of the model, and their names there.
_OPTIONS = {
    "max_tokens": "num_predict",
    "temperature": "temperature",
    "top_p": "top_p",
    "top_k": "top_k",
    "presence_penalty": "presence_penalty",
    "frequency_penalty": "frequency_penalty",
    "stop": "stop",
    "seed": "seed",
}
_UNKNOWN = ("parallel_tool_calls", "n", "logit_bias", "user", "service_tier")

# The words of thinking effort that are taken; a model without levels takes true and false.
_EFFORTS = {"minimal": "low", "low": "low", "medium": "medium", "high": "high", "xhigh": "high", "max": "max"}


def encode_request(request: Request, quirks: Quirks) -> EncodedRequest:
    """Return the path and the body of `request`, streaming.

    Where `extra` has a field that only `/api/generate` knows (`suffix`, `template`, `raw`, `context`), the one user
    message is the prompt of that. `thinking=True` and `False` are sent as such, a level or a budget as the nearest
    word. There is no tool choice: "none" leaves the tools out, one that asks for a call is left out with an
    `UnsupportedParameterWarning`, as is what the API does not know. Further options go into `extra` as
    `{"options": {"num_ctx": …}}`. Raises `ConfigError` for what the dialect cannot say.
    """
    request = drop_unsupported(request, [*_UNKNOWN, *quirks.unsupported])
    warn_of_strict(request)
    generate = not _OF_GENERATE.isdisjoint(request.extra)
    body: dict[str, Any] = {"model": request.model, **(_prompt(request) if generate else _chat(request, quirks))}
    body["stream"] = True
    options = {name: value for field, name in _OPTIONS.items() if (value := getattr(request, field)) is not None}
    if options:
        body["options"] = options
    body |= _thinking(request)
    if request.output_schema is not None:
        body["format"] = request.output_schema
    if request.logprobs is not None:
        body["logprobs"] = True
        if request.logprobs:
            body["top_logprobs"] = request.logprobs
    return EncodedRequest("/api/generate" if generate else "/api/chat", merge(body, request.extra))


def _chat(request: Request, quirks: Quirks) -> dict[str, Any]:
    messages = encode_messages(request.messages, quirks, request.provider)
    if not messages:
        raise ConfigError("there is no message to send")
    tools = _tools(request)
    return {"messages": messages} | ({"tools": tools} if tools else {})


def _prompt(request: Request) -> dict[str, Any]:
    if request.tools:
        raise ConfigError("/api/generate knows no tools")
    prompt, images = encode_prompt(request.messages, "/api/generate")
    return {"prompt": prompt} | ({"images": [encode_image(image) for image in images]} if images else {})


def _tools(request: Request) -> list[dict[str, Any]]:
    choice = request.tool_choice
    named = None if isinstance(choice, dict) else checked_choice(request)
    if choice == "none":
        return []
    if named or isinstance(choice, dict) or (choice == "required" and request.tools):
        warn_unsupported("tool_choice", request.provider, "the model chooses for itself")
    return [_tool(tool) for tool in request.tools]


def _tool(tool: ToolSpec | dict[str, Any]) -> dict[str, Any]:
    if isinstance(tool, dict):
        return tool
    function = {"name": tool.name, "description": tool.description, "parameters": tool.parameters}
    return {"type": "function", "function": function, **tool.extra}


def _thinking(request: Request) -> dict[str, Any]:
    thinking = request.thinking
    if thinking is None:
        return {}
    if isinstance(thinking, dict):
        return dict(thinking)
    if isinstance(thinking, bool):
        return {"think": thinking}
    level = thinking_level(thinking)
    return {"think": level != "off" and _EFFORTS[level]}
