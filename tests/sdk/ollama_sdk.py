"""The `ollama` package; the records of an answer are added up, since it has no accumulator."""

from __future__ import annotations

from typing import Any

from ollama import AsyncClient

from tests.sdk.said import Said

__all__ = ["stream"]


async def stream(url: str, **asked: Any) -> list[Said]:
    """What the records of `chat` add up to."""
    out = Said()
    async with AsyncClient(host=url, headers={"authorization": "Bearer key"}) as client:
        async for record in await client.chat("m", stream=True, **{"messages": [{"role": "user"}], **asked}):
            out.text += record.message.content or ""
            out.thinking += record.message.thinking or ""
            for call in record.message.tool_calls or []:
                out.calls.append(("", call.function.name, dict(call.function.arguments)))
            if record.done:
                out.finish, out.given, out.written = record.done_reason, record.prompt_eval_count, record.eval_count
    return [out]
