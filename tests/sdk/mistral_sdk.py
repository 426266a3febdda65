"""The `mistralai` package; the chunks of an answer are added up, since it has no accumulator."""

from __future__ import annotations

from typing import Any

from mistralai.client import Mistral

from tests.sdk.said import Said, arguments_of

__all__ = ["stream"]


async def stream(url: str, **asked: Any) -> list[Said]:
    """What the chunks of `chat.stream` add up to."""
    asked = {"messages": [{"role": "user", "content": "Hi"}], **asked}
    choices: dict[int, Said] = {}
    async with Mistral(api_key="key", server_url=url) as client:
        async with await client.chat.stream_async(model="m", **asked) as events:
            async for event in events:
                for choice in event.data.choices:
                    _add(choices.setdefault(choice.index, Said()), choice)
                if event.data.usage is not None:
                    _count(choices[0], event.data.usage)
    return [choices[index] for index in sorted(choices)]


def _add(out: Said, choice: Any) -> None:
    content = choice.delta.content or ""
    for part in [content] if isinstance(content, str) else content:
        if isinstance(part, str):
            out.text += part
        elif part.type == "thinking":
            out.thinking += "".join(inner.text for inner in part.thinking)
        else:
            out.text += part.text
    for call in choice.delta.tool_calls or []:
        out.calls.append((call.id, call.function.name, arguments_of(call.function.arguments)))
    out.finish = choice.finish_reason or out.finish


def _count(out: Said, usage: Any) -> None:
    out.given, out.written = usage.prompt_tokens, usage.completion_tokens
    more = usage.model_extra or {}
    out.cached = more.get("prompt_tokens_details", {}).get("cached_tokens")
    out.thought = more.get("completion_tokens_details", {}).get("reasoning_tokens")
