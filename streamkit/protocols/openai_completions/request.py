"""A request → the body of `POST /completions`.

https://platform.openai.com/docs/api-reference/completions/create, checked 2026-11-29.
"""

from __future__ import annotations

from typing import Any

from streamkit.errors import ConfigError
from streamkit.protocols.parameters import drop_unsupported, merge
from streamkit.protocols.prompt import encode_prompt
from streamkit.protocols.quirks import Quirks
from streamkit.protocols.request import EncodedRequest, Request

__all__ = ["encode_request"]

# The fields of `Request` that the body has under the same name.
_SAME = (
    "max_tokens",
    "temperature",
    "top_p",
    "top_k",
    "presence_penalty",
    "frequency_penalty",
    "stop",
    "n",
    "logprobs",
    "logit_bias",
    "user",
)
_UNKNOWN = ("tool_choice", "parallel_tool_calls", "thinking", "output_schema", "service_tier")


def encode_request(request: Request, quirks: Quirks) -> EncodedRequest:
    """Return the path and the body of `request`, streaming.

    The one user message is the prompt as it stands; a `prompt` in `extra` (tokens, several prompts) takes its place,
    and the messages are not read. What the API does not know is left out with an `UnsupportedParameterWarning`.
    Raises `ConfigError` for tools, images and conversations.
    """
    request = drop_unsupported(request, [*_UNKNOWN, *quirks.unsupported])
    if request.tools:
        raise ConfigError("completions know no tools; chat completions do")
    body: dict[str, Any] = {"model": request.model}
    if "prompt" not in request.extra:
        prompt, images = encode_prompt(request.messages, "/completions")
        if images:
            raise ConfigError("completions take no images; chat completions do")
        body["prompt"] = prompt
    body["stream"] = True
    if quirks.stream_options:
        body["stream_options"] = {"include_usage": True}
    body |= {name: value for name in _SAME if (value := getattr(request, name)) is not None}
    if request.seed is not None:
        body[quirks.seed_field] = request.seed
    return EncodedRequest("/completions", merge(body, request.extra))
