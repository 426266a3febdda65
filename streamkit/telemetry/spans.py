"""What all spans have in common."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, NamedTuple

from opentelemetry._logs import Logger
from opentelemetry.context import Context
from opentelemetry.trace import (
    NonRecordingSpan,
    Span,
    SpanKind,
    Status,
    StatusCode,
    Tracer,
    get_current_span,
    set_span_in_context,
)

from streamkit.errors import APIError
from streamkit.telemetry.content import Content
from streamkit.telemetry.metrics import Metrics
from streamkit.transport.background import without_cancellations

__all__ = ["Signals", "ending", "error_type", "fail", "leave", "start"]

logger = logging.getLogger("streamkit")


class Signals(NamedTuple):
    """Where spans, events and measurements go, and what of the content goes with them."""

    tracer: Tracer
    logger: Logger
    metrics: Metrics
    content: Content


def start(
    signals: Signals, name: str, kind: SpanKind, attributes: Mapping[str, Any], parent: Context | None
) -> tuple[Span, Context]:
    """Return a span that has begun, and the context of what happens in it.

    Where a sampler or processor of the program's raises, that is logged, and what happens stands below the parent.
    """
    span: Span
    try:
        span = signals.tracer.start_span(name, context=parent, kind=kind, attributes=attributes)
    except Exception:  # what fails there is no matter of the program's
        logger.exception("a span could not be begun")
        span = NonRecordingSpan(get_current_span(parent).get_span_context())
    return span, set_span_in_context(span, parent)


@contextmanager
def ending(span: Span) -> Iterator[None]:
    """Surround what is written of an end: the span ends, and what goes wrong is logged and no matter of the program."""
    try:
        yield
    except Exception:  # what fails in an exporter is no matter of the program's
        logger.exception("the end of a span could not be recorded")
    finally:
        try:
            span.end()
        except Exception:  # nor is what fails in a processor
            logger.exception("a span could not be ended")


def error_type(error: BaseException) -> str:
    """Return the full name of an error's class, which says what kind it is and nothing of the content."""
    kind = type(error)
    return kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"


def fail(span: Span, error: BaseException, content: Content) -> None:
    """Mark a span as failed."""
    span.set_attribute("error.type", error_type(error))
    if isinstance(error, APIError) and error.status is not None:
        span.set_attribute("http.response.status_code", error.status)
    span.set_status(Status(StatusCode.ERROR, str(error) if content.span else type(error).__name__))


def leave(span: Span, error: BaseException | None) -> None:
    """Mark a span as left before its end, which is no failure."""
    cancelled = error is not None and without_cancellations(error) is None
    span.set_attribute("streamkit.left", "cancelled" if cancelled else "closed")
