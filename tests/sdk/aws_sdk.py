"""The `boto3` package; the events of an answer are added up, since it has no accumulator."""

from __future__ import annotations

from functools import cache, partial
from typing import Any

import boto3
from anyio.to_thread import run_sync
from botocore.config import Config

from tests.sdk.said import Said, arguments_of

__all__ = ["stream"]


async def stream(url: str, **asked: Any) -> list[Said]:
    """What the events of `converse_stream` add up to."""
    return [await run_sync(partial(_stream, url, asked))]


@cache
def _session() -> boto3.Session:
    return boto3.Session(aws_access_key_id="AKIA", aws_secret_access_key="key", region_name="us-east-1")


def _stream(url: str, asked: dict[str, Any]) -> Said:
    asked = {"messages": [{"role": "user", "content": [{"text": "Hi"}]}], **asked}
    client = _session().client("bedrock-runtime", endpoint_url=url, config=Config(retries={"total_max_attempts": 1}))
    out = Said()
    calls: dict[int, list[str]] = {}
    try:
        for event in client.converse_stream(modelId="m", **asked)["stream"]:
            _add(out, calls, event)
    finally:
        client.close()
    out.calls = [(id, name, arguments_of(text)) for id, name, text in calls.values()]
    return out


def _add(out: Said, calls: dict[int, list[str]], event: dict[str, Any]) -> None:
    if "contentBlockStart" in event:
        call = event["contentBlockStart"]["start"]["toolUse"]
        calls[event["contentBlockStart"]["contentBlockIndex"]] = [call["toolUseId"], call["name"], ""]
    elif "contentBlockDelta" in event:
        delta = event["contentBlockDelta"]["delta"]
        if "toolUse" in delta:
            calls[event["contentBlockDelta"]["contentBlockIndex"]][2] += delta["toolUse"]["input"]
        out.text += delta.get("text", "")
        out.thinking += delta.get("reasoningContent", {}).get("text", "")
    elif "messageStop" in event:
        out.finish = event["messageStop"]["stopReason"]
    elif "metadata" in event and "usage" in event["metadata"]:
        usage = event["metadata"]["usage"]
        caches = (usage.get("cacheReadInputTokens"), usage.get("cacheWriteInputTokens"))
        out.given = usage["inputTokens"] + sum(count or 0 for count in caches)
        out.written, out.cached = usage["outputTokens"], caches[0]
