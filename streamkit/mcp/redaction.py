"""What the SDK logs, without secrets."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from streamkit.protocols.failures import scrub

__all__ = ["redacted"]

# The one that logs bodies that came over HTTP, where a gateway may repeat the headers it was sent.
_LOGGER = logging.getLogger("mcp.client.streamable_http")
_FORMATTER = logging.Formatter()


@contextmanager
def redacted(secrets: Sequence[str]) -> Iterator[None]:
    """Keep `secrets` out of what the SDK logs of HTTP, tracebacks too."""
    guard = _Redaction(secrets)
    _LOGGER.addFilter(guard)
    try:
        yield
    finally:
        _LOGGER.removeFilter(guard)


class _Redaction(logging.Filter):
    def __init__(self, secrets: Sequence[str]) -> None:
        super().__init__()
        self._secrets = secrets

    def filter(self, record: logging.LogRecord) -> bool:
        record.msg, record.args = scrub(record.getMessage(), self._secrets), None
        if record.exc_info and record.exc_info[0] is not None:
            record.exc_text = scrub(record.exc_text or _FORMATTER.formatException(record.exc_info), self._secrets)
            record.exc_info = None  # whose exception holds the text as it came
        return True
