"""A request → the body of a Gradio app's `POST /call/FUNCTION`, or `POST /queue/join`.

https://www.gradio.app/guides/querying-gradio-apps-with-curl and `gradio/routes.py` of gradio 6.31.0, checked
2026-11-30.
"""

from __future__ import annotations

from typing import Any

from streamkit.errors import ConfigError
from streamkit.protocols.parameters import drop_unsupported
from streamkit.protocols.prompt import text_prompt
from streamkit.protocols.quirks import Quirks
from streamkit.protocols.request import EncodedRequest, Request

__all__ = ["encode_request"]

_UNKNOWN = (
    "tool_choice",
    "parallel_tool_calls",
    "max_tokens",
    "temperature",
    "top_p",
    "top_k",
    "presence_penalty",
    "frequency_penalty",
    "stop",
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
    """Return the path and the body of a call of the function that `request.model` names.

    Its one input is the user message; a function with other inputs is given them as `data` in `extra`, in their order.
    With `fn_index` and `session_hash` in `extra` the request is that for a place in the session's queue. The answer
    to either is an event's id and no stream: `two_steps`. What an app has no place for is left out with an
    `UnsupportedParameterWarning`. Raises `ConfigError` for tools, images and conversations.
    """
    request = drop_unsupported(request, [*_UNKNOWN, *quirks.unsupported])
    if request.tools:
        raise ConfigError("a Gradio app takes no tools")
    body: dict[str, Any] = {}
    if "data" not in request.extra:
        body["data"] = [text_prompt(request.messages, "a Gradio app")]
    path = "/queue/join" if "fn_index" in request.extra else f"/call/{request.model.strip('/')}"
    return EncodedRequest(path, body | request.extra, two_steps=True)
