"""The `anthropic` package, by its own accumulator."""

from __future__ import annotations

from typing import Any

from anthropic import AsyncAnthropic

from tests.sdk.said import Said

__all__ = ["stream"]


async def stream(url: str, **asked: Any) -> list[Said]:
    """What `messages.stream` makes of the answer."""
    asked = {"messages": [{"role": "user", "content": "Hi"}], "max_tokens": 100, **asked}
    async with (
        AsyncAnthropic(api_key="key", base_url=url, max_retries=0) as client,
        client.messages.stream(model="m", **asked) as events,
    ):
        message = await events.get_final_message()
    out = Said(finish=message.stop_reason)
    for block in message.content:
        if block.type == "text":
            out.text += block.text
        elif block.type == "thinking":
            out.thinking += block.thinking
        else:
            out.calls.append((block.id, block.name, block.input))
    if message.stop_details is not None:
        out.refusal = message.stop_details.explanation or ""
    usage = message.usage
    if usage is not None:
        caches = (usage.cache_read_input_tokens, usage.cache_creation_input_tokens)
        out.given = usage.input_tokens + sum(count or 0 for count in caches)
        out.written, out.cached = usage.output_tokens, usage.cache_read_input_tokens
        if usage.output_tokens_details is not None:
            out.thought = usage.output_tokens_details.thinking_tokens
    return [out]
