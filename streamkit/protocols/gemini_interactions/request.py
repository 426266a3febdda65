"""A request → the body of `POST /v1beta/interactions`.

By the types of `google-genai` 3.6.1 and https://ai.google.dev/gemini-api/docs/interactions, checked 2026-11-30.
"""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

from streamkit.errors import ConfigError
from streamkit.protocols.gemini_interactions.messages import encode_input
from streamkit.protocols.gemini_interactions.thinking import encode_thinking
from streamkit.protocols.parameters import checked_choice, drop_unsupported, merge, warn_of_strict
from streamkit.protocols.quirks import Quirks
from streamkit.protocols.request import EncodedRequest, Request, ToolSpec

__all__ = ["encode_request", "encode_resume"]

# The fields of `Request`, and their names in `generation_config`.
_GENERATION = {
    "max_tokens": "max_output_tokens",
    "temperature": "temperature",
    "top_p": "top_p",
    "stop": "stop_sequences",
    "seed": "seed",
}

# The fields of `Request` that the API has no field for.
_UNKNOWN = (
    "top_k",
    "presence_penalty",
    "frequency_penalty",
    "n",
    "logprobs",
    "logit_bias",
    "parallel_tool_calls",
    "user",
)

# The fields of the body that make the provider keep the answer or take up one that it kept; an agent works only so.
_STORING = ("store", "background", "previous_interaction_id", "agent")

# The form of the API that is spoken here: steps. That of contents, before it, has been withdrawn.
_REVISION = {"api-revision": "2026-05-20"}


def encode_request(request: Request, quirks: Quirks) -> EncodedRequest:
    """Return the path and the body of `request`, streaming.

    The conversation is the caller's, so the provider is told to store nothing, unless a field of `extra` is about
    stored answers (`store`, `background`, `previous_interaction_id`) or names an `agent`, which takes the model's
    place. A tool given as a dict is one of the API's (`{"type": "google_search"}`). What the API does not know is left
    out with an `UnsupportedParameterWarning`: top_k, penalties, n, log probabilities, logit bias, the user, whether
    calls may be parallel, whether a tool is strict. Raises `ConfigError` for what the dialect cannot say.
    """
    request = drop_unsupported(request, [*_UNKNOWN, *quirks.unsupported])
    warn_of_strict(request)
    continues = bool(request.extra.get("previous_interaction_id"))
    system, steps = encode_input(request.messages, quirks, request.provider, continues=continues)
    if not steps and not continues:
        raise ConfigError("there is no message to send: all are empty or part of the system instruction")
    body: dict[str, Any] = {} if request.extra.get("agent") else {"model": request.model}
    body |= {"input": steps, "stream": True} if steps else {"stream": True}
    if not any(request.extra.get(field) for field in _STORING):
        body["store"] = False
    if system:
        body["system_instruction"] = system
    if request.tools:
        body["tools"] = [_tool(tool) for tool in request.tools]
    if config := _generation(request):
        body["generation_config"] = config
    if request.output_schema is not None:
        body["response_format"] = {"type": "text", "mime_type": "application/json", "schema": request.output_schema}
    if request.service_tier is not None:
        body["service_tier"] = request.service_tier
    kept = bool(request.extra.get("background"))
    return EncodedRequest(_path(quirks.gemini_version), merge(body, request.extra), _REVISION, kept=kept)


def encode_resume(
    response_id: str, last_event_id: str | None = None, *, version: str = Quirks().gemini_version
) -> EncodedRequest:
    """Return the request for what follows the event `last_event_id` of an interaction that the provider stored.

    Without an event it is the stream from its start. Raises `ConfigError` where there is no id.
    """
    if not response_id:
        raise ConfigError("an interaction can be gone on with only by its id, which one that is not stored has not")
    after = f"&last_event_id={quote(last_event_id, safe='')}" if last_event_id else ""
    path = f"{_path(version)}/{quote(response_id, safe='')}?stream=true{after}"
    return EncodedRequest(path, {}, _REVISION, "GET")


def _path(version: str) -> str:
    return f"/{version}/interactions" if version else "/interactions"


def _tool(tool: ToolSpec | dict[str, Any]) -> dict[str, Any]:
    if isinstance(tool, dict):
        return tool
    out: dict[str, Any] = {"type": "function", "name": tool.name}
    if tool.description:
        out["description"] = tool.description
    out["parameters"] = tool.parameters
    return out | {name: value for name, value in tool.extra.items() if name != "cache_control"}


def _generation(request: Request) -> dict[str, Any]:
    config = {word: value for name, word in _GENERATION.items() if (value := getattr(request, name)) is not None}
    if request.thinking is not None:
        config |= encode_thinking(request.thinking)
    if (choice := _choice(request)) is not None:
        config["tool_choice"] = choice
    return config


def _choice(request: Request) -> str | dict[str, Any] | None:
    choice = request.tool_choice
    if isinstance(choice, dict):
        return choice
    if checked_choice(request):
        return {"allowed_tools": {"mode": "any", "tools": [choice]}}
    if choice is None or not request.tools:
        return None
    return "any" if choice == "required" else choice
