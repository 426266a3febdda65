"""Errors that the official SDKs and our client read from the same server: both raise, and for the same reason."""

from __future__ import annotations

from typing import Any

import anyio
import pytest

from streamkit.errors import APIError, AuthenticationError, NotFound, RateLimited, ServerError, TruncatedStream
from streamkit.testing import Answer, ReplayServer, Reply, error_reply, render, render_error
from streamkit.testing.mutations import split_frames
from streamkit.testing.scripts import framing_of
from tests.sdk.sdks import Sdk

pytestmark = [
    pytest.mark.sdk,
    pytest.mark.filterwarnings("ignore:Inheritance class AiohttpClientSession:DeprecationWarning"),  # google-genai's
]

STATUSES = {401: AuthenticationError, 404: NotFound, 429: RateLimited, 500: ServerError}
# What the SDKs call them: their packages, and one dialect with errors of its own.
NAMES = {
    "openai": {
        401: "AuthenticationError",
        404: "NotFoundError",
        429: "RateLimitError",
        500: "InternalServerError",
    },
    "cohere": {
        401: "UnauthorizedError",
        404: "NotFoundError",
        429: "TooManyRequestsError",
        500: "InternalServerError",
    },
    "boto3": {
        401: "ClientError",
        404: "ResourceNotFoundException",
        429: "ThrottlingException",
        500: "InternalServerException",
    },
    "google.genai": {401: "ClientError", 404: "ClientError", 429: "ClientError", 500: "ServerError"},
    "mistralai.client": dict.fromkeys(STATUSES, "SDKError"),
    "ollama": dict.fromkeys(STATUSES, "ResponseError"),
    "dashscope": dict.fromkeys(STATUSES, "Refused"),
}
NAMES["anthropic"] = NAMES["groq"] = NAMES["gemini-interactions"] = NAMES["openai"]


@pytest.mark.parametrize("status", STATUSES)
async def test_a_status_is_an_error_of_the_same_kind_to_both(sdk: Sdk, status: int) -> None:
    names = NAMES.get(sdk.protocol, NAMES[sdk.package])
    kind = names[status] if sdk.package == "boto3" else "some_type"
    theirs, ours = await fail(sdk, error_reply(status, "It was refused.", kind, protocol=sdk.protocol))
    assert (type(theirs).__name__, status_of(theirs)) == (names[status], status)
    assert (type(ours), ours.status, ours.message) == (STATUSES[status], status, "It was refused.")
    assert "It was refused." in str(theirs)


async def test_an_error_inside_a_stream_is_one_to_both(sdk: Sdk) -> None:
    theirs, ours = await fail(sdk, begun(sdk, render_error(sdk.protocol, "There is no capacity.")))
    assert not isinstance(theirs, AssertionError)
    if sdk.package != "mistralai.client":  # knows no error inside a stream, and refuses the record for its form
        assert "There is no capacity." in str(theirs)
    assert ours.message == "There is no capacity."
    assert ours.partial is not None
    assert ours.partial.message.text == "It "


async def test_a_dropped_connection_is_an_error_to_both(sdk: Sdk) -> None:
    theirs, ours = await fail(sdk, begun(sdk, b"", ends="drops"))
    assert not isinstance(theirs, AssertionError)
    assert not isinstance(ours, APIError)


def begun(sdk: Sdk, then: bytes, **options: Any) -> Reply:
    """A response that has said `It `, and goes on with `then`."""
    frames = split_frames(render(Answer(["It is cold."]), sdk.protocol, piece=3), framing_of(sdk.protocol))
    upto = next(at for at, frame in enumerate(frames) if b"It " in frame)
    headers = Reply(body=Answer([])).head(sdk.protocol)
    return Reply(body=b"".join(frames[: upto + 1]) + then, headers=headers, **options)


async def fail(sdk: Sdk, reply: Reply) -> tuple[Exception, Any]:
    """What the SDK raises and what our client does; nobody asks twice."""
    stream = sdk.stream
    async with ReplayServer(reply) as server:
        with anyio.fail_after(60), pytest.raises(Exception) as theirs:  # of any SDK
            await stream(server.url + sdk.theirs)
        with pytest.raises((APIError, TruncatedStream)) as ours:
            async with sdk.client(server) as client:
                await client.send("Hi")
        assert len(server.requests) == 2
        return theirs.value, ours.value


def status_of(error: Any) -> int | None:
    """The HTTP status, wherever an SDK's error has it."""
    if hasattr(error, "response") and isinstance(error.response, dict):
        return int(error.response["ResponseMetadata"]["HTTPStatusCode"])
    status: int | None = error.code if type(error).__module__ == "google.genai.errors" else error.status_code
    return status
