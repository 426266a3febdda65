"""What the official SDKs send for a conversation in their own terms, and what our client sends for the same one."""

from __future__ import annotations

import re
from typing import Any

import pytest

from streamkit.testing import Answer, Received, ReplayServer
from tests.sdk.sdks import SDKS
from tests.sdk.spoken import OURS
from tests.sdk.terms import THEIRS

pytestmark = [
    pytest.mark.sdk,
    pytest.mark.filterwarnings("ignore:Inheritance class AiohttpClientSession:DeprecationWarning"),  # google-genai's
    # Some of the providers take no strict tools, and streamkit says so.
    pytest.mark.filterwarnings("ignore:.* does not take 'strict':streamkit.errors.UnsupportedParameterWarning"),
]

# The fields that only one of the two sends, which change nothing.
ONLY_ONE = {
    "mistral": {"prefix", "index"},  # the SDK's defaults
    "ollama": {"id", "tool_call_id", "additionalProperties"},  # its types do not know them
}
# The headers that say what is asked for, and by whom.
HEADERS = {
    "anthropic": (),  # since version 2 the SDK sends the key as a token, which the API takes as well
    "bedrock": (),  # the SDK signs, and sends a token over TLS alone
    "gemini": ("x-goog-api-key",),
    "gemini-interactions": ("x-goog-api-key", "accept"),
    "mistral": ("authorization", "accept"),
    "dashscope": ("authorization", "accept", "x-dashscope-sse"),
    "dashscope-multimodal": ("authorization", "accept", "x-dashscope-sse"),
}


@pytest.mark.parametrize("name", SDKS)
async def test_both_send_the_same(name: str) -> None:
    theirs, ours = await sent(name)
    assert (theirs.method, theirs.path) == (ours.method, ours.path)
    assert plain(theirs.json, name) == plain(ours.json, name)
    for header in ("content-type", *HEADERS.get(name, ("authorization",))):
        assert theirs.headers[header].partition(";")[0] == ours.headers[header], header


async def sent(name: str) -> tuple[Received, Received]:
    """What the SDK sends, and what our client does."""
    sdk = SDKS[name]
    stream = sdk.stream
    messages, params = OURS[name]
    async with ReplayServer(sdk.reply(Answer(["Hi"]))) as server:
        await stream(server.url + sdk.theirs, **THEIRS[name]())
        async with sdk.client(server) as client:
            await client.send(messages, **params)
        theirs, ours = server.requests
        return theirs, ours


def plain(value: Any, name: str) -> Any:
    """A body without what only one of the two sends, and for Gemini, which takes both, in one spelling."""
    if isinstance(value, dict):
        kept = {key: plain(item, name) for key, item in value.items() if key not in ONLY_ONE.get(name, ())}
        if name != "gemini":
            return kept
        if isinstance(kept.get("data"), str):
            kept["data"] = kept["data"].replace("-", "+").replace("_", "/")
        return {re.sub("_(.)", lambda found: found[1].upper(), key): item for key, item in kept.items()}
    return [plain(item, name) for item in value] if isinstance(value, list) else value
