"""The `dashscope` package, by its own accumulator."""

from __future__ import annotations

from functools import partial
from typing import Any

import requests
from anyio.to_thread import run_sync
from dashscope import Generation, MultiModalConversation

from tests.sdk.said import Said, arguments_of

__all__ = ["Refused", "stream", "stream_multimodal"]


class Refused(Exception):
    """The SDK gives an error as a response; `status_code` is its status."""

    def __init__(self, response: Any) -> None:
        super().__init__(f"{response.code}: {response.message}")
        self.status_code = int(response.status_code)


async def stream(url: str, **asked: Any) -> list[Said]:
    """What `Generation.call` makes of the answer, asked for all so far in each record."""
    return await run_sync(partial(_stream, Generation, url, asked))


async def stream_multimodal(url: str, **asked: Any) -> list[Said]:
    """What `MultiModalConversation.call` makes of the answer, asked for all so far in each record."""
    return await run_sync(partial(_stream, MultiModalConversation, url, asked))


def _stream(api: Any, url: str, asked: dict[str, Any]) -> list[Said]:
    asked = {"messages": [{"role": "user", "content": "Hi"}], "incremental_output": False, **asked}
    choices: dict[int, Said] = {}
    written: dict[int, int] = {}  # a record with one of several choices counts the output of that one
    with requests.Session() as session:
        records = api.call(
            "qwen-plus",
            api_key="key",
            base_address=url,
            stream=True,
            result_format="message",
            session=session,
            **asked,
        )
        for record in records:
            if record.status_code != requests.codes.ok:
                raise Refused(record)
            for choice in record.output.choices:
                choices[choice.get("index", 0)] = _choice(choice)
            if record.usage:
                several = len(record.output.choices) > 1
                written[-1 if several else record.output.choices[0].get("index", 0)] = record.usage["output_tokens"]
                _count(choices[0], record.usage)
    choices[0].written = written.get(-1, sum(written.values())) if written else None
    return [choices[index] for index in sorted(choices)]


def _choice(choice: Any) -> Said:
    message = choice["message"]
    content = message.get("content", "")
    text = content if isinstance(content, str) else "".join(part["text"] for part in content)
    out = Said(text, message.get("reasoning_content", ""), finish=choice["finish_reason"])
    for call in message.get("tool_calls", []):
        out.calls.append((call["id"], call["function"]["name"], arguments_of(call["function"]["arguments"])))
    return out


def _count(out: Said, usage: Any) -> None:
    out.given = usage["input_tokens"]
    out.cached = usage.get("prompt_tokens_details", {}).get("cached_tokens")
    out.thought = usage.get("output_tokens_details", {}).get("reasoning_tokens")
