"""Errors inside a stream of Ollama's: a line with `error`, a text that nothing classes but its own words."""

from __future__ import annotations

import re
from typing import Any

from streamkit.errors import APIError, InvalidRequest, NotFound, ServerError
from streamkit.protocols.failures import read_failure

__all__ = ["read_line_failure"]

# From `server/routes.go` and `llm/server.go` of https://github.com/ollama/ollama, checked 2026-11-29.
_KINDS: tuple[tuple[re.Pattern[str], type[APIError]], ...] = (
    (re.compile(r"not found|no such model", re.IGNORECASE), NotFound),
    (re.compile(r"does not support|invalid|is required|must be", re.IGNORECASE), InvalidRequest),
)


def read_line_failure(value: Any, provider: str) -> APIError:
    """Return the error that a decoded line reports, of the class that its text says where no code does."""
    error = read_failure(value, provider=provider)
    if type(error) is not ServerError:
        return error
    for pattern, kind in _KINDS:
        if pattern.search(error.message):
            return kind(
                error.message,
                provider=provider,
                status=error.status,
                request_id=error.request_id,
                code=error.code,
                type=error.type,
                body=error.body,
            )
    return error
