"""How an end is written on a span."""

from __future__ import annotations

import logging
from typing import Any

import anyio
import anyio.lowlevel
import pytest
from opentelemetry.trace import SpanKind, StatusCode

from streamkit.errors import RateLimited, ToolError
from streamkit.telemetry.content import Content
from streamkit.telemetry.spans import ending, error_type, fail, leave, start


def test_an_error_has_the_full_name_of_its_class() -> None:
    assert error_type(ValueError("secret")) == "ValueError"
    assert error_type(ToolError("secret")) == "streamkit.errors.ToolError"


@pytest.mark.parametrize(
    ("content", "text"), [(Content(False, True), "RateLimited"), (Content(True, False), "quoted (HTTP 429)")]
)
def test_the_text_of_an_error_may_quote_content(content: Content, text: str, seen: Any) -> None:
    span = seen.tracers.get_tracer("test").start_span("x")
    fail(span, RateLimited("quoted", status=429), content)
    assert (span.status.status_code, span.status.description) == (StatusCode.ERROR, text)
    assert dict(span.attributes) == {"error.type": "streamkit.errors.RateLimited", "http.response.status_code": 429}


async def test_who_leaves_is_no_failure(seen: Any) -> None:
    tracer = seen.tracers.get_tracer("test")
    with anyio.CancelScope() as scope:
        scope.cancel()
        try:
            await anyio.lowlevel.checkpoint()
        except BaseException as error:  # asyncio's and trio's cancellations have no other base
            cancelled = error
            raise
    for error, word in ((cancelled, "cancelled"), (GeneratorExit(), "closed"), (None, "closed")):
        span = tracer.start_span("x")
        leave(span, error)
        assert dict(span.attributes) == {"streamkit.left": word}
        assert span.status.status_code is StatusCode.UNSET


def test_what_goes_wrong_at_an_end_is_logged_alone(seen: Any, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.ERROR, "streamkit"), ending(seen.tracers.get_tracer("test").start_span("x")):
        raise TypeError("no JSON")
    assert seen.span.name == "x"
    assert "could not be recorded" in caplog.text


def test_the_context_of_a_span_is_for_what_happens_in_it(seen: Any) -> None:
    signals = seen.telemetry()._signals
    outer, context = start(signals, "outer", SpanKind.INTERNAL, {"a": 1}, None)
    inner, _ = start(signals, "inner", SpanKind.CLIENT, {}, context)
    assert inner.parent.span_id == outer.get_span_context().span_id
    assert (outer.name, outer.kind, dict(outer.attributes), outer.parent) == (
        "outer",
        SpanKind.INTERNAL,
        {"a": 1},
        None,
    )
