"""The `groq` package; the chunks of an answer are added up, since it has no accumulator."""

from __future__ import annotations

from typing import Any

from groq import AsyncGroq

from tests.sdk.said import Said, arguments_of

__all__ = ["stream"]


async def stream(url: str, **asked: Any) -> list[Said]:
    """What the chunks of `chat.completions.create` add up to."""
    asked = {"messages": [{"role": "user", "content": "Hi"}], **asked}
    choices: dict[int, Said] = {}
    texts: dict[int, list[list[str]]] = {}
    async with AsyncGroq(api_key="key", base_url=url, max_retries=0) as client:
        async for chunk in await client.chat.completions.create(model="m", stream=True, **asked):
            for choice in chunk.choices:
                here = choices.setdefault(choice.index, Said())
                here.text += choice.delta.content or ""
                here.thinking += choice.delta.reasoning or getattr(choice.delta, "reasoning_content", "")
                here.refusal += getattr(choice.delta, "refusal", "")
                here.finish = choice.finish_reason or here.finish
                _call(texts.setdefault(choice.index, []), choice.delta.tool_calls or [])
            usage = chunk.usage or (chunk.x_groq and chunk.x_groq.usage)
            if usage is not None:
                _count(choices[0], usage)
    for index, calls in texts.items():
        choices[index].calls = [(id, name, arguments_of(text)) for id, name, text in calls]
    return [choices[index] for index in sorted(choices)]


def _call(calls: list[list[str]], fragments: list[Any]) -> None:
    for fragment in fragments:
        if fragment.index == len(calls):
            calls.append([fragment.id, fragment.function.name, ""])
        calls[fragment.index][2] += fragment.function.arguments or ""


def _count(out: Said, usage: Any) -> None:
    out.given, out.written = usage.prompt_tokens, usage.completion_tokens
    if usage.prompt_tokens_details is not None:
        out.cached = usage.prompt_tokens_details.cached_tokens
    if usage.completion_tokens_details is not None:
        out.thought = usage.completion_tokens_details.reasoning_tokens
