"""A request → the body of `POST …/models/{model}:streamGenerateContent`.

https://ai.google.dev/api/generate-content and https://ai.google.dev/api/caching#Tool, checked 2026-11-29.
"""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

from streamkit.errors import ConfigError
from streamkit.protocols.gemini.messages import encode_contents
from streamkit.protocols.gemini.thinking import encode_thinking
from streamkit.protocols.parameters import checked_choice, drop_unsupported, merge, warn_of_strict
from streamkit.protocols.quirks import Quirks
from streamkit.protocols.request import EncodedRequest, Request, ToolSpec

__all__ = ["encode_request"]

# The fields of `Request`, and their names in `generationConfig`.
_GENERATION = {
    "max_tokens": "maxOutputTokens",
    "temperature": "temperature",
    "top_p": "topP",
    "top_k": "topK",
    "presence_penalty": "presencePenalty",
    "frequency_penalty": "frequencyPenalty",
    "stop": "stopSequences",
    "seed": "seed",
    "n": "candidateCount",
}
_UNKNOWN = ("logit_bias", "parallel_tool_calls", "user")

# The word of a tool choice, and the API's mode for it.
_MODES = {"auto": "AUTO", "none": "NONE", "required": "ANY"}


def encode_request(request: Request, quirks: Quirks) -> EncodedRequest:
    """Return the path and the body of `request`, streaming as server-sent events.

    A tool given as a dict is one of the API's (`{"googleSearch": {}}`). A `tool_choice` given as a dict is the
    `toolConfig`. What the API does not know is left out with an `UnsupportedParameterWarning`: logit bias, the user,
    whether calls may be parallel, whether a tool is strict. Raises `ConfigError` for what the dialect cannot say.
    """
    request = drop_unsupported(request, [*_UNKNOWN, *quirks.unsupported])
    warn_of_strict(request)
    instruction, contents = encode_contents(request.messages, quirks, request.provider, request.model)
    if not contents:
        raise ConfigError("there is no message to send: all are empty or part of the system instruction")
    body: dict[str, Any] = {"contents": contents}
    if instruction is not None:
        body["systemInstruction"] = instruction
    if request.tools:
        body["tools"] = _tools(request.tools)
    if choice := _choice(request):
        body["toolConfig"] = choice
    if config := _generation(request, quirks):
        body["generationConfig"] = config
    if request.service_tier is not None:
        body["serviceTier"] = request.service_tier
    return EncodedRequest(_path(request.model, quirks), merge(body, request.extra))


def _path(model: str, quirks: Quirks) -> str:
    model = model if "/" in model else f"models/{model}"  # "tunedModels/x", "models/x" are whole names
    version = f"/{quirks.gemini_version}" if quirks.gemini_version else ""
    return f"{version}/{quote(model, safe='/@.-_')}:streamGenerateContent?alt=sse"


def _tools(tools: list[ToolSpec | dict[str, Any]]) -> list[dict[str, Any]]:
    declared = [_declaration(tool) for tool in tools if isinstance(tool, ToolSpec)]
    own = [tool for tool in tools if not isinstance(tool, ToolSpec)]
    return [{"functionDeclarations": declared}, *own] if declared else own


def _declaration(tool: ToolSpec) -> dict[str, Any]:
    out: dict[str, Any] = {"name": tool.name}
    if tool.description:
        out["description"] = tool.description
    out["parametersJsonSchema"] = (
        tool.parameters if "type" in tool.parameters else {"type": "object", **tool.parameters}
    )
    return out | {name: value for name, value in tool.extra.items() if name != "cache_control"}


def _choice(request: Request) -> dict[str, Any]:
    choice = request.tool_choice
    if isinstance(choice, dict):
        return choice
    config: dict[str, Any] = {}
    if checked_choice(request):
        config = {"mode": "ANY", "allowedFunctionNames": [choice]}
    elif choice is not None and request.tools:
        config = {"mode": _MODES[choice]}
    return {"functionCallingConfig": config} if config else {}


def _generation(request: Request, quirks: Quirks) -> dict[str, Any]:
    config = {word: value for name, word in _GENERATION.items() if (value := getattr(request, name)) is not None}
    if request.logprobs is not None:
        config["responseLogprobs"] = True
        if request.logprobs:
            config["logprobs"] = request.logprobs
    if request.thinking is not None:
        config["thinkingConfig"] = encode_thinking(request.thinking, quirks)
    if request.output_schema is not None:
        config |= {"responseMimeType": "application/json", "responseJsonSchema": request.output_schema}
    return config
