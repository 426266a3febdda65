"""What errors say and carry."""

from __future__ import annotations

import copy
import inspect
import pickle
import re

import pytest

from streamkit import errors
from streamkit.errors import (
    APIError,
    AuthenticationError,
    ContextOverflow,
    ImageFetchError,
    ImageNotEmbedded,
    InvalidRequest,
    ProtocolError,
    RateLimited,
    StreamkitError,
    ToolError,
    TransportError,
    TransportTimeout,
    TruncatedStream,
)

MESSAGES: list[tuple[str, StreamkitError, str]] = [
    ("a plain one", TransportError("the connection was refused"), "the connection was refused"),
    ("an API error without anything known", APIError("no"), "no"),
    (
        "an API error says where it comes from",
        RateLimited("slow down", provider="acme", status=429, code="rate_limit", request_id="req_1"),
        "slow down (acme, HTTP 429, rate_limit, request req_1)",
    ),
    ("a code that only repeats the status", APIError("no", status=400, code="400", type="t"), "no (HTTP 400, t)"),
    ("a code without a type", APIError("no", status=400, code="400"), "no (HTTP 400)"),
    ("the type stands in for the code", APIError("no", type="server_error"), "no (server_error)"),
    ("a protocol error shows the frame", ProtocolError("not JSON", frame=b'{"a"'), "not JSON: '{\"a\"'"),
    ("a frame of bad bytes", ProtocolError("not JSON", frame=b"\xff\x00"), r"not JSON: '\ufffd\x00'"),
    ("a frame of text", ProtocolError("not JSON", frame="{"), "not JSON: '{'"),
    ("no frame", TruncatedStream("it ended"), "it ended"),
]


@pytest.mark.parametrize(("error", "text"), [case[1:] for case in MESSAGES], ids=[case[0] for case in MESSAGES])
def test_an_error_reads(error: StreamkitError, text: str) -> None:
    assert str(error).encode("ascii", "backslashreplace").decode() == text


def test_a_long_frame_is_quoted_in_part_and_kept_whole() -> None:
    error = ProtocolError("bad", frame=b"x" * 100_000)
    assert len(str(error)) < 400
    assert error.frame == b"x" * 100_000


RETRYABLE = ["RateLimited", "Overloaded", "ServerError"]
API_ERRORS = [name for name in errors.__all__ if issubclass(getattr(errors, name), APIError)]


@pytest.mark.parametrize("name", API_ERRORS)
def test_only_what_passes_by_itself_is_retryable(name: str) -> None:
    kind = getattr(errors, name)
    assert kind("x").retryable == (name in RETRYABLE)
    assert kind("x", retryable=True).retryable
    assert not kind("x", retryable=False).retryable


@pytest.mark.parametrize("kind", [TransportError, TransportTimeout, TruncatedStream])
def test_what_broke_on_the_way_is_retryable(kind: type[StreamkitError]) -> None:
    assert kind("x").retryable
    assert not ProtocolError("x").retryable


@pytest.mark.parametrize("name", errors.__all__)
def test_every_error_has_one_root_and_says_what_it_means(name: str) -> None:
    kind = getattr(errors, name)
    assert issubclass(kind, (StreamkitError, errors.StreamkitWarning))
    assert inspect.getdoc(kind)
    assert kind.__doc__ != kind.__base__.__doc__


def test_the_picture_of_the_tree_is_the_tree() -> None:
    drawn = re.findall(r"^([│├└─ ]*)([A-Z]\w+)(?:  |$)", errors.__doc__ or "", re.MULTILINE)
    path: list[str] = []
    for branch, name in drawn:
        path[len(branch) // 4 :] = [name]
        base = getattr(errors, name).__base__
        assert base.__name__ == (path[-2] if len(path) > 1 else base.__name__)
    assert {name for _, name in drawn} == set(errors.__all__)


def test_an_error_begins_without_partial_and_deltas_of_its_own() -> None:
    first, second = StreamkitError("a"), StreamkitError("b")
    first.deltas.append("x")
    assert first.partial is second.partial is None
    assert second.deltas == []


WHOLE: list[StreamkitError] = [
    APIError("no", provider="acme", status=500, request_id="r", code="c", type="t", body="{}", retry_after_s=1.5),
    ContextOverflow("too long", retryable=True),
    ProtocolError("bad", frame=b"{"),
    ToolError("no such city", details={"city": "x"}),
    ImageNotEmbedded("bytes only", url="https://example.org/a.png"),
    ImageFetchError("too large", url="https://example.org/a.png"),
]


@pytest.mark.parametrize("error", WHOLE, ids=lambda error: type(error).__name__)
def test_an_error_survives_pickling_and_copying(error: StreamkitError) -> None:
    for other in (pickle.loads(pickle.dumps(error)), copy.copy(error)):
        assert type(other) is type(error)
        assert str(other) == str(error)
        assert vars(other) == vars(error)


def test_kinds_can_be_caught_by_their_parents() -> None:
    assert issubclass(ContextOverflow, InvalidRequest)
    assert issubclass(TransportTimeout, TransportError)
    assert issubclass(TruncatedStream, ProtocolError)
    assert not issubclass(AuthenticationError, InvalidRequest)
