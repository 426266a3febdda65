"""The `cohere` package; the events of an answer are added up, since it has no accumulator."""

from __future__ import annotations

from typing import Any

import cohere
from cohere.core.request_options import RequestOptions

from tests.sdk.said import Said, arguments_of

__all__ = ["stream"]


async def stream(url: str, **asked: Any) -> list[Said]:
    """What the events of `chat_stream` add up to."""
    asked = {"messages": [cohere.UserChatMessageV2(content="Hi")], **asked}
    out = Said()
    calls: dict[int, list[str]] = {}
    async with cohere.AsyncClientV2(api_key="key", base_url=url) as client:
        async for event in client.chat_stream(model="m", request_options=RequestOptions(max_retries=0), **asked):
            delta: Any = getattr(event, "delta", None)
            if event.type in ("content-start", "content-delta"):
                out.text += delta.message.content.text or ""
                out.thinking += delta.message.content.thinking or ""
            elif event.type == "tool-call-start":
                call = delta.message.tool_calls
                calls[event.index] = [call.id, call.function.name, call.function.arguments]
            elif event.type == "tool-call-delta":
                calls[event.index][2] += delta.message.tool_calls.function.arguments
            elif event.type == "message-end":
                _end(out, delta)
    out.calls = [(id, name, arguments_of(text)) for id, name, text in calls.values()]
    return [out]


def _end(out: Said, delta: Any) -> None:
    if delta.error is not None:  # it is no exception of the SDK's
        raise cohere.core.ApiError(status_code=200, body=delta.error)
    out.finish = delta.finish_reason
    if delta.usage is not None:
        tokens = delta.usage.tokens
        out.given, out.written, out.cached = tokens.input_tokens, tokens.output_tokens, delta.usage.cached_tokens
        out.thought = getattr(tokens, "reasoning_tokens", None)
