"""A request → the body of `POST /generate` of vLLM's demonstration server.

Beside the prompt it takes the fields of `SamplingParams` and refuses all others: `vllm/entrypoints/api_server.py` of
https://github.com/vllm-project/vllm, checked 2026-11-30.
"""

from __future__ import annotations

from typing import Any

from streamkit.errors import ConfigError
from streamkit.protocols.parameters import drop_unsupported, merge
from streamkit.protocols.prompt import text_prompt
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
    "seed",
    "n",
)
_UNKNOWN = (
    "tool_choice",
    "parallel_tool_calls",
    "logprobs",
    "logit_bias",
    "thinking",
    "output_schema",
    "user",
    "service_tier",
)


def encode_request(request: Request, quirks: Quirks) -> EncodedRequest:
    """Return the path and the body of `request`, streaming; a server has one model, so its name is not sent.

    The one user message is the prompt as it stands, which the parser of the answer is told to take off; a `prompt` in
    `extra` takes its place, and the messages are not read. What the server does not know or does not answer is left
    out with an `UnsupportedParameterWarning`. Raises `ConfigError` for tools, images and conversations.
    """
    request = drop_unsupported(request, [*_UNKNOWN, *quirks.unsupported])
    if request.tools:
        raise ConfigError("/generate knows no tools; vLLM's chat completions do")
    body: dict[str, Any] = {"stream": True}
    if "prompt" not in request.extra:
        body["prompt"] = text_prompt(request.messages, "/generate")
    body |= {name: value for name in _SAME if (value := getattr(request, name)) is not None}
    body = merge(body, request.extra)
    told = {"prompt": body["prompt"]} if isinstance(body["prompt"], str) else {}
    return EncodedRequest("/generate", body, parser_options=told)
