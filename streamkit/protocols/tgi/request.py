"""A request → the body of a TGI server's `POST /generate_stream`.

`docs/openapi.json` and `router/src/validation.rs` of https://github.com/huggingface/text-generation-inference, checked
2026-11-30.
"""

from __future__ import annotations

from typing import Any

from streamkit.errors import ConfigError
from streamkit.protocols.parameters import drop_unsupported, merge
from streamkit.protocols.prompt import text_prompt
from streamkit.protocols.quirks import Quirks
from streamkit.protocols.request import EncodedRequest, Request

__all__ = ["encode_request"]

# The fields of `Request` and their names in `parameters`.
_FIELDS = {
    "max_tokens": "max_new_tokens",
    "top_k": "top_k",
    "frequency_penalty": "frequency_penalty",
    "stop": "stop",
    "seed": "seed",
}
_UNKNOWN = (
    "tool_choice",
    "parallel_tool_calls",
    "presence_penalty",
    "n",
    "logit_bias",
    "thinking",
    "user",
    "service_tier",
)


def encode_request(request: Request, quirks: Quirks) -> EncodedRequest:
    """Return the path and the body of `request`, streaming; a server has one model, so its name is not sent.

    The one user message is the prompt as it stands; `inputs` in `extra` takes its place, and the messages are not
    read. Its own parameters go into `extra`, as `{"parameters": {"repetition_penalty": 1.1}}`. What the API does not
    know is left out with an `UnsupportedParameterWarning`, and a temperature of 0 or a `top_p` of 1, which it refuses,
    without: they are its default. Raises `ConfigError` for tools, images and conversations.
    """
    request = drop_unsupported(request, [*_UNKNOWN, *quirks.unsupported])
    if request.tools:
        raise ConfigError("/generate_stream knows no tools; the server's chat completions do")
    body: dict[str, Any] = {}
    if "inputs" not in request.extra:
        body["inputs"] = text_prompt(request.messages, "/generate_stream")
    parameters: dict[str, Any] = {"details": True}
    parameters |= {name: value for field, name in _FIELDS.items() if (value := getattr(request, field)) is not None}
    if request.temperature:
        parameters["temperature"] = request.temperature
    if request.top_p is not None and request.top_p < 1:
        parameters["top_p"] = request.top_p
    if request.logprobs is not None:
        parameters["top_n_tokens"] = max(request.logprobs, 1)
    if request.output_schema is not None:
        parameters["grammar"] = {"type": "json", "value": request.output_schema}
    return EncodedRequest("/generate_stream", merge({**body, "parameters": parameters}, request.extra))
