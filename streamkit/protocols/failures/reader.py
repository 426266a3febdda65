"""The reader of error bodies: any provider's, before the stream and inside it.

No two providers agree on the shape, and gateways answer for them in plain text or HTML. What is looked for, and in
which order, is one list for all, so that a vendor behind another's address is read as well (checked 2026-11-29).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from datetime import datetime
from http import HTTPStatus
from typing import Any
from urllib.parse import quote

from streamkit.errors import APIError, ConfigError, ProtocolError
from streamkit.limits import Limits
from streamkit.protocols.failures.kinds import may_retry, pick_kind, plain_word
from streamkit.protocols.failures.retry_after import read_delay
from streamkit.protocols.lenient import decode_lenient, rejoin
from streamkit.protocols.values import json_text

__all__ = ["find_message", "find_request_id", "read_failure", "scrub"]

MAX_BODY_CHARACTERS = Limits().max_error_body_bytes
EXCERPT = 500  # characters of a body without a message that the message quotes

# Where the request's id stands, the provider's own before a gateway's: Anthropic; OpenAI and most; Azure (two);
# Bedrock; Mistral; Cohere; Groq; OpenRouter; DeepSeek; Zhipu; MiniMax (two); watsonx; LiteLLM.
_ID_HEADERS = (
    "request-id",
    "x-request-id",
    "apim-request-id",
    "x-ms-request-id",
    "x-amzn-requestid",
    "mistral-correlation-id",
    "x-debug-trace-id",
    "x-groq-id",
    "x-generation-id",
    "x-ds-trace-id",
    "x-log-id",
    "minimax-request-id",
    "trace-id",
    "x-global-transaction-id",
    "x-litellm-call-id",
)
_ID_FIELDS = ("request_id", "requestId", "responseId", "trace", "id")

_NO_CODE = 10**18  # a number from here on is none of these

_SECRET_SHAPES = re.compile(
    r"((?:proxy-)?authorization|x-api-key|api-key|x-goog-api-key)([\"']?\s*[:=]\s*[\"']?)(?:bearer\s+)?[^\s\"',;}]+"
    r"|([?&]key)(=)[^&\s\"'<]+",
    re.IGNORECASE,
)
REDACTED = "[redacted]"
_SHORTEST_SECRET = 4  # a shorter one is a placeholder for a server without keys, and part of many a word


def read_failure(
    body: bytes | str | Any,
    *,
    provider: str,
    status: int = 200,
    headers: Mapping[str, str] | None = None,
    now: datetime | None = None,
) -> APIError:
    """Return the error that `body` reports, of the class that says what to do about it.

    `body` is what came (bytes or text: JSON, an event of a stream, plain text, HTML, nothing) or the JSON already
    decoded. `status` is the HTTP status, 200 for an error inside a stream, which is classed by its own words.
    `headers` are the response's. A delay given as an HTTP date is measured from `now`, else from the header `date`.
    Nothing is raised: a body that says nothing gives an error that quotes it.
    """
    named = {name.lower(): value for name, value in (headers or {}).items()}
    text, value = _decode(body)
    value = _unwrapped(value)
    top = value if isinstance(value, dict) else {}
    inner = _inner(top)

    code = _first_word(inner.get("code"), _at(inner, "details", "error_code"), top.get("code"), top.get("error_code"))
    type_ = _type(top, inner, named)
    base = _first_word(_at(top, "base_resp", "status_code"))  # MiniMax
    code = code or base
    details = _details(inner)
    exact = (_at(inner, "innererror", "code"), code, type_, *(item.get("reason") for item in details))
    words = [plain_word(word) for word in (*exact, top.get("error_type")) if isinstance(word, str)]
    if base is not None:
        words.append(f"minimax{base}")
    message = (_message(top) or (value if isinstance(value, str) else ""))[:MAX_BODY_CHARACTERS]
    prose = " ".join(filter(None, (message or ("" if top else text[:MAX_BODY_CHARACTERS]), _behind(inner))))

    said = _status(status, top, inner)
    kind = pick_kind(
        said,
        words,
        prose,
        per_day="perday" in text.lower(),
        empty=not text.strip(),
        provider=provider,
    )
    asked = named.get("x-should-retry", "").strip().lower()
    original = top.get("originalStatusCode")
    return kind(
        rejoin(message) if message else _describe(text, status, named.get("content-type", "")),
        provider=provider,
        status=status,
        request_id=_request_id(top, inner, named),
        code=code,
        type=type_,
        body=text[:MAX_BODY_CHARACTERS],
        retryable=may_retry(kind, said, asked, original if isinstance(original, int) else None),
        retry_after_s=read_delay(
            named, [*(item.get("retryDelay") for item in details), top.get("estimated_time")], prose, now
        ),
    )


def find_request_id(headers: Mapping[str, str]) -> str | None:
    """Return the provider's id of a request from the headers of its answer (names in lower case), None without one."""
    return next((headers[name] for name in (*_ID_HEADERS, "cf-ray") if headers.get(name)), None)


def find_message(value: Any) -> str | None:
    """Return what a decoded body says in words where errors say it, None where it says nothing."""
    value = _unwrapped(value)
    return _message(value) if isinstance(value, dict) else None


def scrub(text: str, secrets: Iterable[str]) -> str:
    """Return `text` without `secrets` and without what stands where keys do (`x-api-key: …`, `?key=…`).

    Providers and gateways echo the request in their errors; whoever made the request knows its secrets. One of
    fewer than four characters is a placeholder and stays.
    """
    known = {form for secret in secrets if len(secret) >= _SHORTEST_SECRET for form in (secret, quote(secret, safe=""))}
    for secret in sorted(known, key=len, reverse=True):
        text = text.replace(secret, REDACTED)
    return _SECRET_SHAPES.sub(lambda m: f"{m[1] or m[3]}{m[2] or m[4]}{REDACTED}", text)


def _decode(body: bytes | str | Any) -> tuple[str, Any]:
    """Return a body as text and, where it is JSON, as that."""
    if isinstance(body, (bytearray, memoryview)):
        body = bytes(body)
    if isinstance(body, bytes):
        text = body.decode("utf-8-sig", "replace")
    elif isinstance(body, str):
        text = rejoin(body)
    else:
        try:
            return json_text(body), body
        except (ConfigError, RecursionError):
            return f"(an error of type {type(body).__name__} that JSON cannot hold)", body
    value = _json(text)
    if value is None and "data:" in text:  # an event of a stream as the whole body
        lines = (line.removeprefix("data:") for line in text.splitlines() if line.startswith("data:"))
        value = _json("\n".join(lines))
    return text, value


def _json(text: str) -> Any:
    try:
        return decode_lenient(text.strip().encode(), object)
    except ProtocolError:
        return None


def _unwrapped(value: Any) -> Any:
    """Gemini's errors come in a list of one."""
    return value[0] if isinstance(value, list) and len(value) == 1 else value


def _inner(top: dict[str, Any]) -> dict[str, Any]:
    """The object that holds the error, which is the whole one where there is none inside."""
    error = top.get("error")
    if isinstance(error, dict):
        return error
    errors = top.get("errors")
    if isinstance(errors, list) and errors and isinstance(errors[0], dict):
        return errors[0]
    return top


def _message(top: dict[str, Any]) -> str | None:
    """The error in words; the first of these that there is."""
    errors = top.get("errors")
    first = errors[0] if isinstance(errors, list) and errors else None
    candidates = (
        _at(top, "error", "message"),
        top.get("error"),
        top.get("message"),
        top.get("Message"),  # AWS
        top.get("errorMessage"),  # IBM Cloud
        top.get("error_msg"),
        first.get("message") if isinstance(first, dict) else first,
        _detail(top.get("detail")),
        _at(top, "base_resp", "status_msg"),
        top.get("text"),  # FastChat
        top.get("data"),  # Cohere, older endpoints
    )
    return next((text for text in candidates if isinstance(text, str) and text.strip()), None)


def _detail(detail: Any) -> str | None:
    """FastAPI's `detail`: a text, or what is wrong with each field."""
    if isinstance(detail, dict):
        return _message(detail)
    if not isinstance(detail, list):
        return detail if isinstance(detail, str) else None
    found = []
    for item in detail:
        if isinstance(item, dict) and isinstance(item.get("msg"), str):
            place = item.get("loc")
            where = ".".join(map(str, place)) + ": " if isinstance(place, list) and place else ""
            found.append(where + item["msg"])
        elif isinstance(item, str):
            found.append(item)
    return "; ".join(found) or None


def _behind(inner: dict[str, Any]) -> str | None:
    """What the provider behind a router said (OpenRouter)."""
    raw = _at(inner, "metadata", "raw")
    return raw[:MAX_BODY_CHARACTERS] if isinstance(raw, str) else None


def _type(top: dict[str, Any], inner: dict[str, Any], headers: Mapping[str, str]) -> str | None:
    """The provider's word for the kind of error; the `error` and `object` of an envelope are none."""
    own = inner.get("type") if inner.get("type") != "error" else None
    status = inner.get("status")  # Gemini: a word
    aws = headers.get("x-amzn-errortype", "").partition(":")[0]
    candidates = (own, status, top.get("error_type"), aws, top.get("__type"))
    return _first_word(*(word for word in candidates if isinstance(word, str) and not word.isdigit()))


def _details(inner: dict[str, Any]) -> list[dict[str, Any]]:
    """Gemini's list of typed objects: which quota, when to retry, why."""
    details = inner.get("details")
    return [item for item in details if isinstance(item, dict)] if isinstance(details, list) else []


def _status(status: int, top: dict[str, Any], inner: dict[str, Any]) -> int:
    """The status to go by: inside a stream the one that the error names, if it does."""
    if status >= 300:
        return status
    for value in (inner.get("code"), inner.get("status"), inner.get("http_status_code"), top.get("status_code")):
        if isinstance(value, str) and len(value) == 3 and value.isdecimal():
            value = int(value)
        if isinstance(value, int) and 400 <= value < 600:
            return value
    return status


def _request_id(top: dict[str, Any], inner: dict[str, Any], headers: Mapping[str, str]) -> str | None:
    for header in _ID_HEADERS:
        if headers.get(header):
            return headers[header]
    fields = _ID_FIELDS if inner is top else _ID_FIELDS[:-1]  # beside an `error`, `id` is the answer's
    return _first_word(*(top.get(field) for field in fields), inner.get("request_id"), headers.get("cf-ray"))


def _describe(text: str, status: int, content_type: str) -> str:
    """A message for a body that has none."""
    excerpt = " ".join(text.split())[:EXCERPT]
    if text.lstrip()[:1] == "<" or "text/html" in content_type:
        return f"a gateway answered in place of the provider: {excerpt}"
    if excerpt:
        return excerpt
    try:
        phrase = HTTPStatus(status).phrase
    except ValueError:
        phrase = "an unknown status"
    return f"{phrase}, with an empty body"


def _at(value: Any, *path: str) -> Any:
    for key in path:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def _first_word(*values: Any) -> str | None:
    """The first of `values` that is a text or a number, as text."""
    for value in values:
        if isinstance(value, str) and value:
            return rejoin(value)
        if isinstance(value, int) and not isinstance(value, bool) and abs(value) < _NO_CODE:
            return str(value)
    return None
