"""A request → the body of a FastChat worker's `POST /worker_generate_stream`.

`fastchat/serve/inference.py` and `vllm_worker.py` of https://github.com/lm-sys/FastChat, checked 2026-11-30.
"""

from __future__ import annotations

from typing import Any

from streamkit.errors import ConfigError
from streamkit.protocols.parameters import drop_unsupported, merge
from streamkit.protocols.prompt import text_prompt
from streamkit.protocols.quirks import Quirks
from streamkit.protocols.request import EncodedRequest, Request

__all__ = ["encode_request"]

# The fields of `Request` and their names in the body.
_FIELDS = {
    "max_tokens": "max_new_tokens",
    "temperature": "temperature",
    "top_p": "top_p",
    "top_k": "top_k",
    "presence_penalty": "presence_penalty",
    "frequency_penalty": "frequency_penalty",
    "stop": "stop",
}
_UNKNOWN = (
    "tool_choice",
    "parallel_tool_calls",
    "seed",
    "n",
    "logprobs",
    "logit_bias",
    "thinking",
    "output_schema",
    "user",
    "service_tier",
)


def encode_request(request: Request, quirks: Quirks) -> EncodedRequest:
    """Return the path and the body of `request`, which always streams.

    The one user message is the prompt as it stands; a `prompt` in `extra` takes its place, and the messages are not
    read. The prompt does not come back with the text unless `extra` asks for `echo`. What a worker does not know is
    left out with an `UnsupportedParameterWarning`. Raises `ConfigError` for tools, images and conversations.
    """
    request = drop_unsupported(request, [*_UNKNOWN, *quirks.unsupported])
    if request.tools:
        raise ConfigError("a worker knows no tools; FastChat's chat completions may")
    body: dict[str, Any] = {"model": request.model, "echo": False}
    if "prompt" not in request.extra:
        body["prompt"] = text_prompt(request.messages, "/worker_generate_stream")
    body |= {name: value for field, name in _FIELDS.items() if (value := getattr(request, field)) is not None}
    return EncodedRequest("/worker_generate_stream", merge(body, request.extra))
