"""Bodies with a status of success that are no stream: a gateway's page, a line of text, an error as plain JSON."""

from __future__ import annotations

import re

from streamkit.errors import APIError, ProtocolError, ServerError
from streamkit.protocols.failures.reader import find_message, read_failure
from streamkit.protocols.lenient import decode_lenient
from streamkit.wire.body import Opening

__all__ = ["KEPT_BYTES", "read_stray"]

# How much of the beginning of a body is enough to say what it is.
KEPT_BYTES = 65_536

# A line that belongs to an event stream, and the words that may begin one that was cut.
_FIELD = re.compile(rb"^(?:(?:data|event|id|retry|error)?:|(?:data|event|id|retry)\r?$)", re.MULTILINE)
_NAMES = (b"data", b"event", b"id", b"retry", b"error")
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1f\x7f\ufffd]")
_EXCERPT = 500  # characters of a text that the message quotes


def read_stray(body: bytes, *, provider: str, is_frame: bool) -> APIError | None:
    """Return the error that the beginning of a body is in which no answer was heard; None where it is a cut stream.

    A page or a text is a gateway's, a `ServerError` that may pass. JSON is the error that it says it is; with
    `is_frame` (it may be an event of the stream) only where it has words for one. None also for an empty body, for
    half a JSON, for what is binary and for the fields of an event stream.
    """
    body = Opening().feed(body).rstrip()
    if not body:
        return None
    text = body.decode("utf-8", "replace")
    if body[:1] in (b"{", b"["):
        return _read_json(body, text, provider, is_frame)
    if body.startswith(b"<"):
        what = "a web page came in place of a stream; check the base URL, or try again if a gateway sent it"
    elif _FIELD.search(body) or _CONTROL.search(text) or any(name.startswith(body) for name in _NAMES):
        return None
    else:
        error = read_failure(text, provider=provider)
        if type(error) is not ServerError:
            return error
        what = "a text came in place of a stream"
    return _as_servers(what, text, provider)


def _read_json(body: bytes, text: str, provider: str, is_frame: bool) -> APIError | None:
    try:
        value = decode_lenient(body, object)
    except ProtocolError:
        return None
    says_it = find_message(value) is not None
    if value in ({}, []) or (is_frame and not says_it):
        return None
    error = read_failure(value, provider=provider)
    if says_it or type(error) is not ServerError:
        return error
    return _as_servers("JSON came that is no answer", text, provider)


def _as_servers(what: str, text: str, provider: str) -> ServerError:
    brief = " ".join(text.split())[:_EXCERPT]
    return ServerError(f"{what}: {brief}", provider=provider, status=200, body=text)
