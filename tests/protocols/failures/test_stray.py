"""Bodies that came with HTTP 200 and are no stream, read by themselves and by the parser of each dialect."""

from __future__ import annotations

import pytest

from streamkit.errors import (
    APIError,
    AuthenticationError,
    ContextOverflow,
    InvalidRequest,
    NotFound,
    Overloaded,
    PermissionDenied,
    QuotaExceeded,
    RateLimited,
    ServerError,
    TruncatedStream,
)
from streamkit.protocols import PROTOCOLS, get_protocol
from streamkit.protocols.failures.stray import read_stray
from streamkit.testing.chunking import bytewise
from streamkit.testing.outcome import read_pieces

BOM = b"\xef\xbb\xbf"
PAGE = b"<!DOCTYPE html>\n<html><title>502 Bad Gateway</title></html>"

# name, body, class, what the message must say
STRAYS: list[tuple[str, bytes, type[APIError], str]] = [
    ("a page", PAGE, ServerError, "web page .*502 Bad Gateway"),
    ("a page after a mark and a blank line", BOM + b"\n" + PAGE, ServerError, "web page"),
    ("a text", b"no healthy upstream", ServerError, "text .*: no healthy upstream"),
    ("a text of lines", b"upstream connect error\r\nreset\r\n", ServerError, "upstream connect error reset"),
    ("a text with a colon", b"error code: 1015", ServerError, "error code: 1015"),
    ("a text about the key", b"Invalid API key provided", AuthenticationError, "Invalid API key"),
    ("a text about the length", b"prompt is too long: 9 tokens > 8", ContextOverflow, "prompt is too long"),
    ("openai", b'{"error":{"message":"no","code":"model_not_found"}}', NotFound, "no"),
    (
        "openai, in many lines",
        b'{\n  "error": {\n    "message": "no", "code": "model_not_found"\n  }\n}',
        NotFound,
        "no",
    ),
    ("xai", b'{"code":"Client specified an invalid argument","error":"no"}', ServerError, "no"),
    ("cerebras", b'{"message":"no","type":"invalid_request_error","code":"x"}', InvalidRequest, "no"),
    ("mistral", b'{"object":"error","message":"no","type":"invalid_request_error"}', InvalidRequest, "no"),
    ("fastapi", b'{"detail":"Not authenticated"}', ServerError, "Not authenticated"),
    ("a message alone", b'{"message":"invalid api token"}', ServerError, "invalid api token"),
    ("anthropic", b'{"type":"error","error":{"type":"overloaded_error","message":"no"}}', Overloaded, "no"),
    ("gemini", b'[{"error":{"code":429,"message":"no","status":"RESOURCE_EXHAUSTED"}}]', RateLimited, "no"),
    ("dashscope", b'{"code":"InvalidParameter","message":"no","request_id":"r"}', InvalidRequest, "no"),
    ("minimax", b'{"base_resp":{"status_code":1004,"status_msg":"no"}}', AuthenticationError, "no"),
    ("tgi", b'{"error":"no","error_type":"overloaded"}', Overloaded, "no"),
    ("ollama", b'{"error":"no"}', ServerError, "no"),
    ("cloudflare", b'{"success":false,"errors":[{"code":7003,"message":"no"}]}', ServerError, "no"),
    ("databricks", b'{"error_code":"PERMISSION_DENIED","message":"no"}', PermissionDenied, "no"),
    ("watsonx", b'{"errors":[{"code":"x","message":"no"}],"status_code":404}', NotFound, "no"),
    ("bedrock", b'{"__type":"ValidationException","message":"no"}', InvalidRequest, "no"),
    ("openrouter", b'{"error":{"code":402,"message":"no"},"user_id":"u"}', QuotaExceeded, "no"),
    ("fastchat", b'{"text":"no","error_code":50002}', ServerError, "no"),
]
# What Ollama's lines say of themselves is read once more by their own words.
BY_ITS_WORDS = {"ollama": {"ollama"}}


@pytest.mark.parametrize(("body", "kind", "words"), [case[1:] for case in STRAYS], ids=[case[0] for case in STRAYS])
def test_a_body_that_is_no_stream_is_an_error_with_all_that_it_says(
    body: bytes, kind: type[APIError], words: str
) -> None:
    with pytest.raises(kind, match=words) as caught:
        raise read_stray(body, provider="p", is_frame=True) or AssertionError
    error = caught.value
    assert (type(error), error.status, error.provider) == (kind, 200, "p")
    assert error.retryable is kind.retryable
    assert "".join(error.body.split()) == "".join(body.removeprefix(BOM).decode().split())


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize(("body", "kind", "words"), [case[1:] for case in STRAYS], ids=[case[0] for case in STRAYS])
def test_each_dialect_reports_it_in_every_cut(protocol: str, body: bytes, kind: type[APIError], words: str) -> None:
    if protocol == "sglang" and b'"text"' in body:
        pytest.skip(reason="the field is the answer's there")
    whole = read_pieces([body], get_protocol(protocol).parser(provider="p"))
    assert whole.error is not None
    assert (whole.error["kind"], whole.error.get("status")) == (kind.__name__, 200)
    assert whole.error["retryable"] is kind.retryable
    for pieces in (bytewise(body), [body[:9], body[9:]]):
        assert read_pieces(pieces, get_protocol(protocol).parser(provider="p")).error == whole.error


NOTHING: list[tuple[str, bytes]] = [
    ("nothing", b""),
    ("blanks", b"\n \r\n"),
    ("half a JSON", b'{"error":{"message":"no'),
    ("an empty object", b"{}"),
    ("an empty list", b"[]"),
    ("half a field", b"dat"),
    ("fields", b"event: x\ndata: {}\n\n"),
    ("comments", b": ping\n\n: ping\n\n"),
    ("binary", b"\x00\x00\x00\x10abc"),
    ("bad bytes", b"abc\xff\xfe"),
    ("nesting without end", b"[" * 100_000),
]


@pytest.mark.parametrize("body", [case[1] for case in NOTHING], ids=[case[0] for case in NOTHING])
def test_what_may_be_a_stream_that_was_cut_is_no_error_of_its_own(body: bytes) -> None:
    assert read_stray(body, provider="p", is_frame=False) is None


def test_json_without_words_is_an_error_only_where_it_cannot_be_an_event() -> None:
    assert read_stray(b'{"ok":true}', provider="p", is_frame=True) is None
    error = read_stray(b'{"ok":true}', provider="p", is_frame=False)
    assert (type(error), str(error)) == (ServerError, 'JSON came that is no answer: {"ok":true} (p, HTTP 200)')


def test_a_long_text_is_quoted_in_part_and_kept_whole() -> None:
    error = read_stray(b"<html>" + b"x" * 5000, provider="p", is_frame=False)
    assert error is not None
    assert len(str(error)) < 700
    assert len(error.body) == 5006


@pytest.mark.parametrize("protocol", ["openai-chat", "gemini", "openai-responses", "anthropic", "cohere"])
def test_an_event_that_nobody_knows_is_the_error_where_it_has_words_for_one(protocol: str) -> None:
    said = get_protocol(protocol).parser(provider="p")
    outcome = read_pieces([b'data: {"message":"invalid api token"}\n\n: bye\n\n'], said)
    assert outcome.error is not None
    assert (outcome.error["kind"], outcome.error["message"]) == ("ServerError", "invalid api token")


def test_a_stream_in_which_something_was_heard_is_truncated_whatever_follows() -> None:
    parser = get_protocol("openai-chat").parser()
    said = parser.feed(b'data: {"choices":[{"index":0,"delta":{"content":"Hi"}}]}\n\n')
    said += parser.feed(b"no healthy upstream\n")
    assert said
    with pytest.raises(TruncatedStream):
        parser.finish()


def test_what_comes_in_place_of_the_rest_of_a_broken_answer_is_its_error() -> None:
    parser = get_protocol("openai-responses").parser(provider="p")
    parser.feed(b'data: {"type":"response.created","sequence_number":0,"response":{"id":"resp_1"}}\n\n')
    with pytest.raises(TruncatedStream):
        parser.finish()
    parser.resume()
    parser.feed(b"no healthy upstream")
    with pytest.raises(ServerError, match="no healthy upstream"):
        parser.finish()
