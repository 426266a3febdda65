"""The `google-genai` package; the chunks of an answer are added up, since it has no accumulator."""

from __future__ import annotations

from typing import Any

from google import genai
from google.genai import types

from tests.sdk.said import Said

__all__ = ["stream"]


async def stream(url: str, **asked: Any) -> list[Said]:
    """What the chunks of `models.generate_content_stream` add up to."""
    options = types.HttpOptions(base_url=url, api_version="v1beta", retry_options=types.HttpRetryOptions(attempts=1))
    choices: dict[int, Said] = {}
    async with genai.Client(api_key="key", http_options=options).aio as client:
        async for chunk in await client.models.generate_content_stream(model="m", **{"contents": "Hi", **asked}):
            for candidate in chunk.candidates or []:
                _add(choices.setdefault(candidate.index or 0, Said()), candidate)
            if chunk.usage_metadata is not None:
                _count(choices[0], chunk.usage_metadata)
    return [choices[index] for index in sorted(choices)]


def _add(out: Said, candidate: types.Candidate) -> None:
    for part in (candidate.content and candidate.content.parts) or []:
        if part.function_call is not None:
            out.calls.append((part.function_call.id or "", part.function_call.name or "", part.function_call.args))
        elif part.thought:
            out.thinking += part.text or ""
        else:
            out.text += part.text or ""
    if candidate.finish_reason is not None:
        out.finish = candidate.finish_reason.value


def _count(out: Said, usage: types.GenerateContentResponseUsageMetadata) -> None:
    out.given, out.cached = usage.prompt_token_count, usage.cached_content_token_count
    out.thought = usage.thoughts_token_count
    out.written = (usage.candidates_token_count or 0) + (usage.thoughts_token_count or 0)
