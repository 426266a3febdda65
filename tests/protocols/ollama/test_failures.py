"""A line with an error: its text classes it where no code does."""

from __future__ import annotations

from typing import Any

import pytest

from streamkit.errors import APIError, InvalidRequest, NotFound, Overloaded, RateLimited, ServerError
from streamkit.protocols.ollama.failures import read_line_failure

CASES: list[tuple[str, Any, type[APIError], str]] = [
    ("a text", {"error": "unexpected EOF"}, ServerError, "unexpected EOF"),
    ("a model that is missing", {"error": "model 'x' not found"}, NotFound, "model 'x' not found"),
    ("a field that is wrong", {"error": "invalid format"}, InvalidRequest, "invalid format"),
    (
        "an object, as of a gateway",
        {"error": {"message": "slow down", "type": "rate_limit_error"}},
        RateLimited,
        "slow down",
    ),
    (
        "a code beside the text",
        {"error": {"message": "model not found in time", "code": "overloaded"}},
        Overloaded,
        "model not found in time",
    ),
]


@pytest.mark.parametrize(("value", "kind", "message"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_an_error_has_its_class(value: Any, kind: type[APIError], message: str) -> None:
    error = read_line_failure(value, "acme")
    assert type(error) is kind
    assert (error.message, error.status, error.provider) == (message, 200, "acme")
    assert error.retryable == kind.retryable
    assert error.body
