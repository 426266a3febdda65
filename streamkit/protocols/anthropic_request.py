"""A request → the body of `POST /v1/messages`."""

from __future__ import annotations

from typing import Any

from streamkit.protocols.anthropic_messages import encode_messages
from streamkit.protocols.quirks import Quirks
from streamkit.protocols.request import EncodedRequest, Request, ToolSpec

__all__ = ["encode_request"]


def encode_request(request: Request, quirks: Quirks) -> EncodedRequest:
    """Return the path, body and headers of `request`, streaming."""
    system, messages = encode_messages(request.messages)
    body: dict[str, Any] = {
        "model": request.model,
        "max_tokens": request.max_tokens or 4096,
        "messages": messages,
        "stream": True,
    }
    if system:
        body["system"] = system
    if request.tools:
        body["tools"] = [encode_tool(tool) for tool in request.tools]
    body.update(request.extra)
    return EncodedRequest("/v1/messages", body, {"anthropic-version": "2023-06-01"})


def encode_tool(tool: ToolSpec | dict[str, Any]) -> dict[str, Any]:
    if isinstance(tool, dict):
        return tool
    return {"name": tool.name, "description": tool.description, "input_schema": tool.parameters, **tool.extra}
