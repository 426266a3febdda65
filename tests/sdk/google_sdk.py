"""The `google-genai` package; the chunks and events of an answer are added up, since it has no accumulator."""

from __future__ import annotations

from typing import Any

from google import genai
from google.genai import types

from tests.sdk.said import Said, arguments_of

__all__ = ["stream", "stream_interaction"]


async def stream(url: str, **asked: Any) -> list[Said]:
    """What the chunks of `models.generate_content_stream` add up to."""
    choices: dict[int, Said] = {}
    async with _client(url) as client:
        async for chunk in await client.models.generate_content_stream(model="m", **{"contents": "Hi", **asked}):
            for candidate in chunk.candidates or []:
                _add(choices.setdefault(candidate.index or 0, Said()), candidate)
            if chunk.usage_metadata is not None:
                _count(choices[0], chunk.usage_metadata)
    return [choices[index] for index in sorted(choices)]


async def stream_interaction(url: str, **asked: Any) -> list[Said]:
    """What the events of `interactions.create` add up to."""
    out = Said()
    calls: dict[int, list[str]] = {}
    async with _client(url) as client:
        async for event in await client.interactions.create(model="m", stream=True, **{"input": "Hi", **asked}):
            if event.event_type == "step.start" and event.step.type == "function_call":
                calls[event.index] = [event.step.id, event.step.name, ""]
            elif event.event_type == "step.delta":
                _add_step(out, calls, event)
            elif event.event_type == "interaction.completed":
                out.finish = event.interaction.status
                if event.interaction.usage is not None:
                    _count_interaction(out, event.interaction.usage)
            elif event.event_type == "error":  # it is no exception of the SDK's
                raise genai.errors.APIError(200, {"error": {"message": event.error.message, "code": event.error.code}})
            else:
                assert event.event_type != "UNKNOWN", event
    out.calls = [(id, name, arguments_of(text)) for id, name, text in calls.values()]
    return [out]


def _client(url: str) -> Any:
    options = types.HttpOptions(base_url=url, api_version="v1beta", retry_options=types.HttpRetryOptions(attempts=1))
    return genai.Client(api_key="key", http_options=options).aio


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


def _add_step(out: Said, calls: dict[int, list[str]], event: Any) -> None:
    delta = event.delta
    if delta.type == "arguments_delta":
        calls[event.index][2] += delta.arguments
    elif delta.type == "thought_summary":
        out.thinking += delta.content.text
    elif delta.type == "text":
        out.text += delta.text
    else:
        assert delta.type == "thought_signature", delta


def _count_interaction(out: Said, usage: Any) -> None:
    out.given, out.cached, out.thought = usage.total_input_tokens, usage.total_cached_tokens, usage.total_thought_tokens
    out.written = usage.total_output_tokens + (usage.total_thought_tokens or 0)
