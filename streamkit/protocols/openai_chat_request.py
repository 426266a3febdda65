"""A request → the body of `POST /chat/completions`."""

from __future__ import annotations

from typing import Any

from streamkit.protocols.openai_chat_messages import encode_messages
from streamkit.protocols.quirks import Quirks
from streamkit.protocols.request import EncodedRequest, Request, ToolSpec

__all__ = ["encode_request"]


def encode_request(request: Request, quirks: Quirks) -> EncodedRequest:
    """Return the path and body of `request`, streaming."""
    body: dict[str, Any] = {
        "model": request.model,
        "messages": encode_messages(request.messages, quirks),
        "stream": True,
    }
    if quirks.stream_options:
        body["stream_options"] = {"include_usage": True}
    if request.tools:
        body["tools"] = [encode_tool(tool) for tool in request.tools]
    if request.max_tokens is not None:
        body[quirks.max_tokens_field] = request.max_tokens
    for name in ("temperature", "top_p", "stop", "n"):
        if (value := getattr(request, name)) is not None:
            body[name] = value
    body.update(request.extra)
    return EncodedRequest("/chat/completions", body)


def encode_tool(tool: ToolSpec | dict[str, Any]) -> dict[str, Any]:
    if isinstance(tool, dict):
        return tool
    function = {"name": tool.name, "description": tool.description, "parameters": tool.parameters}
    return {"type": "function", "function": function, **tool.extra}
