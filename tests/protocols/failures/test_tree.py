"""One tree for all: every kind of error, as every dialect says it, before a stream and inside, over real HTTP."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from streamkit.client import Client
from streamkit.errors import (
    APIError,
    AuthenticationError,
    ContentFiltered,
    ContextOverflow,
    InvalidRequest,
    NotFound,
    Overloaded,
    PermissionDenied,
    QuotaExceeded,
    RateLimited,
    ServerError,
    StreamkitError,
    TruncatedStream,
)
from streamkit.protocols import get_protocol
from streamkit.protocols.quirks import Quirks
from streamkit.providers import Provider
from streamkit.testing import Answer, ReplayServer, Reply, render
from streamkit.testing.event_stream import message
from streamkit.testing.mutations import fail, split_frames
from streamkit.testing.outcome import read_pieces
from streamkit.testing.scripts import RENDERED, framing_of

KEY = "key-0123456789abcdef"
HELLO = Answer(["Hello there"])

# The kinds, each with a status and a text that all may use, and whether another try makes sense.
KINDS: dict[type[APIError], tuple[int, str, bool]] = {
    AuthenticationError: (401, "The key is not known", False),
    PermissionDenied: (403, "This key may not do that", False),
    NotFound: (404, "There is no such model", False),
    InvalidRequest: (400, "A field is wrong", False),
    RateLimited: (429, "Slow down", True),
    QuotaExceeded: (429, "You exceeded your current quota", False),
    Overloaded: (503, "No capacity", True),
    ContextOverflow: (400, "This model's maximum context length is 8 tokens", False),
    ContentFiltered: (400, "Blocked by our content management policy", False),
    ServerError: (500, "It broke", True),
}
# How the dialects name them in one word: codes of OpenAI's, types of Anthropic's, statuses of Google's, exceptions of
# Amazon's, codes of Alibaba's, numbers of
# FastChat's. None where only the text says it.
Words = dict[type[APIError], str | None]
OPENAI: Words = {
    AuthenticationError: "invalid_api_key",
    PermissionDenied: "permission_denied",
    NotFound: "model_not_found",
    InvalidRequest: "invalid_request_error",
    RateLimited: "rate_limit_exceeded",
    QuotaExceeded: "insufficient_quota",
    Overloaded: "overloaded_error",
    ContextOverflow: "context_length_exceeded",
    ContentFiltered: "content_filter",
    ServerError: "server_error",
}
ANTHROPIC: Words = {
    AuthenticationError: "authentication_error",
    PermissionDenied: "permission_error",
    NotFound: "not_found_error",
    InvalidRequest: "invalid_request_error",
    RateLimited: "rate_limit_error",
    QuotaExceeded: "billing_error",
    Overloaded: "overloaded_error",
    ContextOverflow: "invalid_request_error",
    ContentFiltered: "invalid_request_error",
    ServerError: "api_error",
}
GOOGLE: Words = {
    AuthenticationError: "UNAUTHENTICATED",
    PermissionDenied: "PERMISSION_DENIED",
    NotFound: "NOT_FOUND",
    InvalidRequest: "INVALID_ARGUMENT",
    RateLimited: "RESOURCE_EXHAUSTED",
    QuotaExceeded: None,
    Overloaded: "UNAVAILABLE",
    ContextOverflow: "INVALID_ARGUMENT",
    ContentFiltered: "INVALID_ARGUMENT",
    ServerError: "INTERNAL",
}
AMAZON: Words = {
    AuthenticationError: "UnrecognizedClientException",
    PermissionDenied: "AccessDeniedException",
    NotFound: "ResourceNotFoundException",
    InvalidRequest: "validationException",
    RateLimited: "throttlingException",
    QuotaExceeded: "ServiceQuotaExceededException",
    Overloaded: "serviceUnavailableException",
    ContextOverflow: "validationException",
    ContentFiltered: "validationException",
    ServerError: "internalServerException",
}
ALIBABA: Words = {
    AuthenticationError: "InvalidApiKey",
    PermissionDenied: "AccessDenied",
    NotFound: "ModelNotFound",
    InvalidRequest: "InvalidParameter",
    RateLimited: "Throttling.RateQuota",
    QuotaExceeded: "Arrearage",
    Overloaded: "ServiceUnavailable",
    ContextOverflow: "InvalidParameter",
    ContentFiltered: "DataInspectionFailed",
    ServerError: "InternalError",
}
FASTCHAT: Words = {
    AuthenticationError: "40101",
    PermissionDenied: "40103",
    NotFound: "40301",
    InvalidRequest: "40001",
    RateLimited: "42901",
    QuotaExceeded: "42902",
    Overloaded: "42903",
    ContextOverflow: "40303",
    ContentFiltered: "50001",
    ServerError: "50001",
}
# Those whose errors inside a stream have no words at all say no more there than this.
UNTOLD = {PermissionDenied, AuthenticationError, RateLimited, Overloaded, InvalidRequest, NotFound}


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"  # what an error is does not depend on the event loop


def sse(value: Any, name: str = "") -> bytes:
    return (f"event: {name}\n" if name else "").encode() + b"data: " + json.dumps(value).encode() + b"\n\n"


def amazons(status: int, word: str | None, text: str) -> bytes:
    headers = {":exception-type": word or "", ":content-type": "application/json", ":message-type": "exception"}
    return message(headers, json.dumps({"message": text}).encode())


def in_error(status: int, word: str | None, text: str) -> dict[str, Any]:
    return {"error": {"message": text, "type": "error", "code": word}}


def in_google(status: int, word: str | None, text: str) -> dict[str, Any]:
    return {"error": {"code": status, "message": text, "status": word}}


def of_anthropic(status: int, word: str | None, text: str) -> dict[str, Any]:
    return {"type": "error", "error": {"type": word, "message": text}}


def numbered(status: int, word: str | None, text: str) -> dict[str, Any]:
    return {"error": {"code": status, "message": text, "type": word}}


def flat(status: int, word: str | None, text: str) -> dict[str, Any]:
    return {"object": "error", "message": text, "type": word, "code": status}


def coded(status: int, word: str | None, text: str) -> dict[str, Any]:
    return {"code": word, "message": text, "request_id": "r"}


Form = Callable[[int, str | None, str], Any]
Frame = Callable[[int, str | None, str], bytes]
# The words of each dialect, the form of its error bodies, and of an error inside its stream.
DIALECTS: dict[str, tuple[Words, Form, Frame]] = {
    "openai-chat": (OPENAI, in_error, lambda *said: sse(in_error(*said))),
    "openai-responses": (
        OPENAI,
        in_error,
        lambda status, word, text: sse({"type": "error", "code": word, "message": text}, "error"),
    ),
    "openai-completions": (OPENAI, in_error, lambda *said: sse(in_error(*said))),
    "anthropic": (ANTHROPIC, of_anthropic, lambda *said: sse(of_anthropic(*said), "error")),
    "gemini": (GOOGLE, in_google, lambda *said: sse(in_google(*said))),
    "gemini-interactions": (
        OPENAI,
        in_error,
        lambda status, word, text: sse(
            {"event_type": "error", "error": {"code": word, "message": text}},
        ),
    ),
    "ollama": (
        dict.fromkeys(KINDS),
        lambda status, word, text: {"error": text},
        lambda status, word, text: json.dumps({"error": text}).encode() + b"\n",
    ),
    "llamacpp": (OPENAI, numbered, lambda *said: sse(numbered(*said))),
    "sglang": (OPENAI, flat, lambda *said: sse(numbered(*said))),
    "cohere": (
        dict.fromkeys(KINDS),
        lambda status, word, text: {"message": text},
        lambda status, word, text: sse(
            {"type": "message-end", "delta": {"finish_reason": "ERROR", "error": text}}, "message-end"
        ),
    ),
    "bedrock-converse": (AMAZON, lambda status, word, text: {"message": text, "__type": word}, amazons),
    "dashscope": (ALIBABA, coded, lambda *said: sse(coded(*said), "error")),
    "tgi": (dict.fromkeys(KINDS), lambda status, word, text: {"error": text}, lambda *said: sse({"error": said[2]})),
    "vllm-generate": (OPENAI, in_error, lambda *said: json.dumps(in_error(*said)).encode() + b"\n"),
    "fastchat": (
        FASTCHAT,
        lambda status, word, text: {"object": "error", "message": text, "code": word and int(word)},
        lambda status, word, text: json.dumps({"text": text, "error_code": word and int(word)}).encode() + b"\0",
    ),
}
WORDLESS = [name for name, (words, _, _) in DIALECTS.items() if not any(words.values())]


def said_by(protocol: str, kind: type[APIError]) -> tuple[int, str | None, str]:
    status, text, _ = KINDS[kind]
    return status, DIALECTS[protocol][0][kind], text


def told(protocol: str) -> list[type[APIError]]:
    """The kinds that an error inside the stream can say."""
    return [kind for kind in KINDS if not (protocol in WORDLESS and kind in UNTOLD)]


def client_of(protocol: str, server: ReplayServer) -> Client:
    row = Provider(name="acme", protocol=protocol, base_url=server.url, quirks=Quirks(), key_optional=True)
    return Client("m", provider=row, api_key=KEY, retry=0)


async def error_of(client: Client) -> StreamkitError:
    with pytest.raises((APIError, TruncatedStream)) as caught:
        async with client.stream("Hi") as stream:
            async for _ in stream:
                pass
    return caught.value


@pytest.mark.parametrize("protocol", DIALECTS)
async def test_an_error_before_the_stream(protocol: str) -> None:
    form = DIALECTS[protocol][1]
    replies = [
        Reply(
            status=said_by(protocol, kind)[0],
            body=json.dumps(form(*said_by(protocol, kind))).encode(),
            headers={"content-type": "application/json", "x-request-id": f"req-{kind.__name__}", "retry-after": "7"},
        )
        for kind in KINDS
    ]
    async with ReplayServer(replies) as server, client_of(protocol, server) as client:
        for kind, (status, text, retryable) in KINDS.items():
            error = await error_of(client)
            assert type(error) is kind, kind
            assert (error.status, error.provider, error.retryable) == (status, "acme", retryable)
            assert isinstance(error, APIError)
            assert (error.request_id, error.retry_after_s) == (f"req-{kind.__name__}", 7.0)
            assert text in str(error)
            assert json.loads(error.body) == form(*said_by(protocol, kind))


@pytest.mark.parametrize("protocol", DIALECTS)
async def test_an_error_inside_the_stream_keeps_what_came_before(protocol: str) -> None:
    framing, frame = framing_of(protocol), DIALECTS[protocol][2]
    hello = render(HELLO, protocol)
    count = len(split_frames(hello, framing)) - (4 if framing == "sse" else 1)
    kinds = told(protocol)
    bodies = {kind: fail(hello, max(count, 2), frame(*said_by(protocol, kind)), framing) for kind in kinds}
    replies = [Reply(body=body, headers={"x-request-id": "req-1"}) for body in bodies.values()]
    async with ReplayServer(replies) as server, client_of(protocol, server) as client:
        for kind in kinds:
            _, text, retryable = KINDS[kind]
            error = await error_of(client)
            assert type(error) is kind, kind
            assert (error.status, error.provider, error.retryable) == (200, "acme", retryable)
            assert error.request_id in ("req-1", "r")  # a body may name one of its own
            assert text in str(error)
            assert error.body
            assert error.partial is not None
            assert "Hello there".startswith(error.partial.message.text)
            alone = read_pieces([bodies[kind]], get_protocol(protocol).parser(provider="acme"))
            assert alone.error is not None
            assert (alone.error["kind"], alone.error["message"]) == (kind.__name__, text)


@pytest.mark.parametrize("protocol", DIALECTS)
async def test_an_answer_that_is_none(protocol: str) -> None:
    """A page, whatever it calls itself; a text; plain JSON; nothing."""
    page = b"<html><title>502 Bad Gateway</title>the key was " + KEY.encode() + b"</html>"
    text = b"upstream failed, api-key: " + KEY.encode()
    form = DIALECTS[protocol][1]
    refused = json.dumps(form(*said_by(protocol, NotFound))).encode()
    stream = {"content-type": "text/event-stream", "x-request-id": "req-1"}
    kinds: dict[str, tuple[Reply, type[Exception]]] = {
        "a page": (Reply(body=page, headers={"content-type": "text/html", "x-request-id": "req-1"}), ServerError),
        "a page as a stream": (Reply(body=page, headers=stream), ServerError),
        "a page without a type": (Reply(body=page, headers={"x-request-id": "req-1"}), ServerError),
        "a text": (Reply(body=text, headers={"content-type": "text/plain", "x-request-id": "req-1"}), ServerError),
        "a text as a stream": (Reply(body=text, headers=stream), ServerError),
        "JSON": (Reply(body=refused, headers={"content-type": "application/json", "x-request-id": "req-1"}), APIError),
        "JSON as a stream": (Reply(body=refused, headers=stream), APIError),
        "nothing": (Reply(body=b"", headers=stream), TruncatedStream),
    }
    async with ReplayServer([reply for reply, _ in kinds.values()]) as server, client_of(protocol, server) as client:
        for name, (_, kind) in kinds.items():
            error = await error_of(client)
            assert isinstance(error, kind), name
            assert (error.status, error.provider, error.request_id) in ((200, "acme", "req-1"), (200, "acme", "r"))
            assert error.retryable or name.startswith("JSON")
            assert KEY not in f"{error} {error.body}"
            assert name == "nothing" or error.body


@pytest.mark.parametrize("protocol", DIALECTS)
def test_an_error_after_the_reason_to_stop_is_raised_and_one_after_the_end_is_not(protocol: str) -> None:
    framing, frame = framing_of(protocol), DIALECTS[protocol][2]
    hello, error = render(HELLO, protocol), frame(*said_by(protocol, ServerError))
    frames = split_frames(hello, framing)
    parser = get_protocol(protocol).parser()
    last = next((at for at, each in enumerate(frames) if parser.feed(each) is not None and parser.ended), None)
    late = read_pieces([hello + error], get_protocol(protocol).parser())
    assert (late.error is None) is (last is not None)  # where only the end of input ends it, the error still counts
    early = read_pieces([b"".join(frames[:last]) + error], get_protocol(protocol).parser())
    assert early.error is not None
    assert early.error["kind"] == "ServerError"
    assert late.outputs[0].message.text == early.outputs[0].message.text == "Hello there"


def test_every_dialect_that_can_be_scripted_is_here() -> None:
    assert set(DIALECTS) <= set(RENDERED)
