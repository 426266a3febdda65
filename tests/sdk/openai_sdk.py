"""The `openai` package: chat completions and Responses by its own accumulators, completions record by record."""

from __future__ import annotations

from typing import Any

from openai import APIError, AsyncOpenAI

from tests.sdk.said import Said, arguments_of

__all__ = ["stream_chat", "stream_completion", "stream_response"]


async def stream_chat(url: str, **asked: Any) -> list[Said]:
    """What `chat.completions.stream` makes of the answer."""
    asked = {"messages": [{"role": "user", "content": "Hi"}], "stream_options": {"include_usage": True}, **asked}
    async with _client(url) as client, client.chat.completions.stream(model="m", **asked) as stream:
        await stream.until_done()
        completion = stream.current_completion_snapshot  # the final one is refused where the length was reached
    return [_choice(choice, completion.usage) for choice in sorted(completion.choices, key=lambda choice: choice.index)]


async def stream_response(url: str, **asked: Any) -> list[Said]:
    """What `responses.stream` makes of the answer."""
    async with _client(url) as client, client.responses.stream(model="m", **{"input": "Hi", **asked}) as stream:
        async for event in stream:  # the final response is refused where it is incomplete
            if event.type in ("response.completed", "response.incomplete"):
                return [_response(event.response)]
            if event.type == "error":  # it is no exception of the SDK's
                raise APIError(event.message, stream._response.request, body=event)
    raise AssertionError("the response has no end")


async def stream_completion(url: str, **asked: Any) -> list[Said]:
    """What the records of `completions.create` add up to."""
    asked = {"prompt": "Hi", "stream_options": {"include_usage": True}, **asked}
    choices: dict[int, Said] = {}
    usage = None
    async with _client(url) as client:
        async for record in await client.completions.create(model="m", stream=True, **asked):
            usage = record.usage or usage
            for choice in record.choices:
                here = choices.setdefault(choice.index, Said())
                here.text += choice.text
                here.finish = choice.finish_reason or here.finish
    if usage is not None:
        _count(choices[0], usage)
    return [choices[index] for index in sorted(choices)]


def _client(url: str) -> AsyncOpenAI:
    return AsyncOpenAI(api_key="key", base_url=url, max_retries=0)


def _choice(choice: Any, usage: Any) -> Said:
    message = choice.message
    thinking = getattr(message, "reasoning_content", None) or ""
    out = Said(message.content or "", thinking, message.refusal or "", finish=choice.finish_reason)
    for call in message.tool_calls or []:
        out.calls.append((call.id, call.function.name, arguments_of(call.function.arguments)))
    if usage is not None and choice.index == 0:
        _count(out, usage)
    return out


def _count(out: Said, usage: Any) -> None:
    out.given, out.written = usage.prompt_tokens, usage.completion_tokens
    if usage.prompt_tokens_details is not None:
        out.cached = usage.prompt_tokens_details.cached_tokens
    if usage.completion_tokens_details is not None:
        out.thought = usage.completion_tokens_details.reasoning_tokens


def _response(response: Any) -> Said:
    out = Said(finish=response.status)
    for item in response.output:
        if item.type == "reasoning":
            out.thinking += "".join(part.text for part in item.summary)
        elif item.type == "function_call":
            out.calls.append((item.call_id, item.name, arguments_of(item.arguments)))
        else:
            out.text += "".join(part.text for part in item.content if part.type == "output_text")
            out.refusal += "".join(part.refusal for part in item.content if part.type == "refusal")
    if response.usage is not None:
        out.given, out.written = response.usage.input_tokens, response.usage.output_tokens
        out.cached = response.usage.input_tokens_details.cached_tokens
        if response.usage.output_tokens_details is not None:
            out.thought = response.usage.output_tokens_details.reasoning_tokens
    return out
