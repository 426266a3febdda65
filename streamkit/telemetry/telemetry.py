"""The observer that makes spans, metrics and events of what it is told.

The names are those that the last releases of OpenTelemetry's common semantic conventions have for generative AI
(1.44.0; opentelemetry-semantic-conventions 0.66b2 of 2026-10). All of them are in development, as those are that have
moved to a repository of their own since: https://opentelemetry.io/docs/specs/semconv/gen-ai/, checked 2026-11-30.
What begins with `streamkit.` is ours alone.

A span's parent is the span that is current where the thing begins, or that of the run which it is part of. No context
stays attached where a generator yields.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from opentelemetry._logs import LoggerProvider, get_logger
from opentelemetry.metrics import MeterProvider, get_meter
from opentelemetry.trace import TracerProvider, get_tracer

import streamkit
from streamkit.telemetry.content import content_of
from streamkit.telemetry.metrics import Metrics
from streamkit.telemetry.run import RunSpan
from streamkit.telemetry.spans import Signals
from streamkit.telemetry.stream import StreamSpan

if TYPE_CHECKING:
    from streamkit.client import Client
    from streamkit.client.observing import RunReport
    from streamkit.messages import Message
    from streamkit.protocols import Request

__all__ = ["Telemetry"]

_SCHEMA = "https://opentelemetry.io/schemas/1.44.0"


class Telemetry:
    """Spans and metrics of all that a client or an agent does: `Client(…, telemetry=Telemetry())`.

    The providers are the program's own, by default those that are set for the whole process. Content (messages,
    arguments and results of tools) is recorded only where `content` says so: on `span`s, as an `event` (a log record
    with the parent's context, by the `logger_provider`), or `both`; `none` by default, or what the environment has as
    OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT. With `chunk_gaps` the time between chunks is a metric too; that
    takes the SDK 10 to 20 µs a chunk, all at the end of the stream. Raises `ConfigError` for an unknown `content`.

    A stream has one span over all its requests; a retry is an event on it. One that is left before its end keeps the
    status unset, as nothing failed, and has the attribute `streamkit.left`: `closed`, or `cancelled` where its task
    was. Secrets are in no attribute, and the text of an error, which may quote content, only where content is.
    """

    def __init__(
        self,
        *,
        tracer_provider: TracerProvider | None = None,
        meter_provider: MeterProvider | None = None,
        logger_provider: LoggerProvider | None = None,
        content: str | None = None,
        chunk_gaps: bool = False,
    ) -> None:
        version = streamkit.__version__
        self._signals = Signals(
            get_tracer("streamkit", version, tracer_provider, _SCHEMA),
            get_logger("streamkit", version, logger_provider, _SCHEMA),
            Metrics(get_meter("streamkit", version, meter_provider, _SCHEMA), chunk_gaps=chunk_gaps),
            content_of(content),
        )

    def stream(self, client: Client, request: Request | None, run: RunReport | None) -> StreamSpan:
        """Begin the span of an answer, which ends with it."""
        return StreamSpan(self._signals, client, request, run.context if isinstance(run, RunSpan) else None)

    def run(self, client: Client, name: str, query: Message) -> RunSpan:
        """Begin the span of an agent's run."""
        return RunSpan(self._signals, client, name, query)
