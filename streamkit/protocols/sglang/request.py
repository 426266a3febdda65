"""A request → the body of an SGLang server's `POST /generate`.

https://docs.sglang.io/basic_usage/sampling_params.html, checked 2026-11-29.
"""

from __future__ import annotations

from typing import Any

from streamkit.errors import ConfigError
from streamkit.parts import EmbeddedImage, ImagePart
from streamkit.protocols.parameters import drop_unsupported, merge
from streamkit.protocols.prompt import encode_prompt
from streamkit.protocols.quirks import Quirks
from streamkit.protocols.request import EncodedRequest, Request
from streamkit.protocols.values import data_url, json_text

__all__ = ["IMAGE_MARKER", "encode_request"]

# What stands in a prompt for an image, unless the model's template has another.
IMAGE_MARKER = "<image>"

# The fields of `Request` and their names in `sampling_params`.
_FIELDS = {
    "max_tokens": "max_new_tokens",
    "temperature": "temperature",
    "top_p": "top_p",
    "top_k": "top_k",
    "presence_penalty": "presence_penalty",
    "frequency_penalty": "frequency_penalty",
    "stop": "stop",
    "seed": "sampling_seed",
    "n": "n",
    "logit_bias": "logit_bias",
}
_UNKNOWN = ("tool_choice", "parallel_tool_calls", "thinking", "user", "service_tier")
_PROMPTS = ("text", "input_ids", "input_embeds")


def encode_request(request: Request, quirks: Quirks) -> EncodedRequest:
    """Return the path and the body of `request`, streaming; a server has one model, so its name is not sent.

    The one user message is the prompt as it stands, images where they stand in it; `text`, `input_ids` or
    `input_embeds` in `extra` takes its place, and the messages are not read. Its own sampling parameters go into
    `extra`, as `{"sampling_params": {"min_p": 0.1}}`. What the API does not know is left out with an
    `UnsupportedParameterWarning`. Raises `ConfigError` for tools, and for a conversation, which the model's template
    must put into words.
    """
    request = drop_unsupported(request, [*_UNKNOWN, *quirks.unsupported])
    if request.tools:
        raise ConfigError("/generate knows no tools; the server's chat completions do")
    body: dict[str, Any] = {}
    if not request.extra.keys() & set(_PROMPTS):
        body["text"], images = encode_prompt(request.messages, "/generate", IMAGE_MARKER)
        if images:
            body["image_data"] = [_address(image) for image in images]
    sampling = {name: value for field, name in _FIELDS.items() if (value := getattr(request, field)) is not None}
    if request.output_schema is not None:
        sampling["json_schema"] = json_text(request.output_schema)
    body |= {"sampling_params": sampling, "stream": True}
    if request.logprobs is not None:
        body |= {"return_logprob": True, "top_logprobs_num": request.logprobs, "return_text_in_logprobs": True}
    return EncodedRequest("/generate", merge(body, request.extra))


def _address(part: ImagePart) -> str:
    image = part.image
    return data_url(image.mime_type, image.data) if isinstance(image, EmbeddedImage) else image.url
