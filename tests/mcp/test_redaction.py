"""The SDK's log without secrets."""

from __future__ import annotations

import logging

import pytest

from streamkit.mcp.redaction import redacted

LOGGER = logging.getLogger("mcp.client.streamable_http")
SECRETS = ["Bearer sk-one", "sk-two"]


def test_neither_a_message_nor_a_traceback_shows_a_secret(caplog: pytest.LogCaptureFixture) -> None:
    with redacted(SECRETS[:1]), redacted(SECRETS[1:]):
        try:
            raise ValueError("bad header Bearer sk-one")
        except ValueError:
            LOGGER.exception("got %s", "sk-two")
    assert "got [redacted]" in caplog.text and "ValueError: bad header [redacted]" in caplog.text
    assert "sk-" not in caplog.text
    assert caplog.records[0].exc_info is None


def test_afterwards_the_log_is_as_it_was(caplog: pytest.LogCaptureFixture) -> None:
    before = list(LOGGER.filters)
    with redacted(SECRETS):
        pass
    assert LOGGER.filters == before
    LOGGER.error("sk-%s", "two")
    assert "sk-two" in caplog.text
