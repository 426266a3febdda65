"""The real SDK, with exporters that keep what they are given."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from opentelemetry.sdk._logs import LoggerProvider
from opentelemetry.sdk._logs.export import InMemoryLogRecordExporter, SimpleLogRecordProcessor
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from streamkit.telemetry import Telemetry


class Seen:
    """What was exported, and `telemetry(…)`, which exports it."""

    def __init__(self) -> None:
        self._spans, self._logs, self._reader = (
            InMemorySpanExporter(),
            InMemoryLogRecordExporter(),
            InMemoryMetricReader(),
        )
        self.tracers, self.logs = TracerProvider(), LoggerProvider()
        self.tracers.add_span_processor(SimpleSpanProcessor(self._spans))
        self.logs.add_log_record_processor(SimpleLogRecordProcessor(self._logs))
        self.meters = MeterProvider([self._reader])

    def telemetry(self, **options: Any) -> Telemetry:
        """An observer that exports to here."""
        return Telemetry(tracer_provider=self.tracers, meter_provider=self.meters, logger_provider=self.logs, **options)

    @property
    def spans(self) -> list[ReadableSpan]:
        """The spans that have ended, in the order in which they did."""
        return list(self._spans.get_finished_spans())

    @property
    def span(self) -> ReadableSpan:
        """The only one."""
        (span,) = self.spans
        return span

    @property
    def events(self) -> list[Any]:
        """The log records."""
        return [data.log_record for data in self._logs.get_finished_logs()]

    @property
    def points(self) -> dict[str, list[Any]]:
        """The measurements by the name of their metric."""
        data = self._reader.get_metrics_data()
        if data is None:
            return {}
        (resource,) = data.resource_metrics
        (scope,) = resource.scope_metrics
        return {metric.name: list(metric.data.data_points) for metric in scope.metrics}


@pytest.fixture
def seen() -> Iterator[Seen]:
    """A fresh set-up, none of it global."""
    found = Seen()
    yield found
    found.tracers.shutdown()
    found.meters.shutdown()
    found.logs.shutdown()
