"""A request → the body of a llama.cpp server's `POST /completion`.

Facts: `tools/server/README.md` of https://github.com/ggml-org/llama.cpp, checked 2026-11-29.
"""

from __future__ import annotations

from typing import Any

from streamkit.errors import ConfigError
from streamkit.parts import EmbeddedImage, ImagePart
from streamkit.protocols.images import not_embedded
from streamkit.protocols.parameters import drop_unsupported, merge
from streamkit.protocols.prompt import encode_prompt
from streamkit.protocols.quirks import Quirks
from streamkit.protocols.request import EncodedRequest, Request
from streamkit.protocols.values import base64_text, split_data_url

__all__ = ["MEDIA_MARKER", "encode_request"]

# What stands in a prompt for an image, unless the server's `/props` name another.
MEDIA_MARKER = "<__media__>"

# The fields of `Request` and their names in the body.
_FIELDS = {
    "max_tokens": "n_predict",
    "temperature": "temperature",
    "top_p": "top_p",
    "top_k": "top_k",
    "presence_penalty": "presence_penalty",
    "frequency_penalty": "frequency_penalty",
    "stop": "stop",
    "seed": "seed",
    "n": "n_cmpl",
    "output_schema": "json_schema",
}
_UNKNOWN = ("tool_choice", "parallel_tool_calls", "thinking", "user", "service_tier")


def encode_request(request: Request, quirks: Quirks) -> EncodedRequest:
    """Return the path and the body of `request`, streaming.

    The one user message is the prompt as it stands, images where they stand in it; a `prompt` in `extra` (tokens,
    several prompts) takes its place, and the messages are not read. What the API does not know is left out with an
    `UnsupportedParameterWarning`. Raises `ConfigError` for tools, and for a conversation, which the model's template
    must put into words (`POST /apply-template`).
    """
    request = drop_unsupported(request, [*_UNKNOWN, *quirks.unsupported])
    if request.tools:
        raise ConfigError("/completion knows no tools; the server's chat completions do")
    body: dict[str, Any] = {"model": request.model}
    if "prompt" not in request.extra:
        body["prompt"] = _prompt(request)
    body["stream"] = True
    body |= {name: value for field, name in _FIELDS.items() if (value := getattr(request, field)) is not None}
    if request.logprobs is not None:
        body["n_probs"] = max(request.logprobs, 1)
    if request.logit_bias is not None:
        body["logit_bias"] = [[_token(token), bias] for token, bias in request.logit_bias.items()]
    return EncodedRequest("/completion", merge(body, request.extra))


def _prompt(request: Request) -> str | dict[str, Any]:
    prompt, images = encode_prompt(request.messages, "/completion", MEDIA_MARKER)
    return {"prompt_string": prompt, "multimodal_data": [_data(image) for image in images]} if images else prompt


def _data(part: ImagePart) -> str:
    if isinstance(part.image, EmbeddedImage):
        return base64_text(part.image.data)
    embedded = split_data_url(part.image.url)
    if embedded is None:
        raise not_embedded("/completion", part.image.url)
    return embedded[1]


def _token(token: str) -> int | str:
    """A token by its number; anything else is a text, whose tokens are all meant."""
    return int(token) if token.isdecimal() else token
