"""The measurements of an answer, with the buckets that the conventions advise."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from opentelemetry.context import Context
from opentelemetry.metrics import Meter

from streamkit.timing import Gaps, Timing

__all__ = ["Metrics"]

_SECONDS = [0.01 * 2**step for step in range(14)]
_TOKENS = [4**step for step in range(14)]


class Metrics:
    """The histograms of the conventions for clients."""

    def __init__(self, meter: Meter, *, chunk_gaps: bool) -> None:
        def seconds(name: str, about: str) -> Any:
            return meter.create_histogram(
                f"gen_ai.client.operation.{name}", "s", about, explicit_bucket_boundaries_advisory=_SECONDS
            )

        self._duration = seconds("duration", "How long an operation took, with all its requests.")
        self._first = seconds("time_to_first_chunk", "How long the first chunk of an answer took.")
        self._gap = seconds("time_per_output_chunk", "How long each later chunk took.") if chunk_gaps else None
        self._tokens = meter.create_histogram(
            "gen_ai.client.token.usage", "{token}", "Tokens in and out.", explicit_bucket_boundaries_advisory=_TOKENS
        )

    def record(
        self,
        duration_s: float,
        timing: Timing,
        tokens: Mapping[str, int],
        attributes: Mapping[str, Any],
        context: Context,
    ) -> None:
        """Record one answer; `tokens` by `gen_ai.token.type`."""
        plain = {name: value for name, value in attributes.items() if name != "error.type"}
        self._duration.record(duration_s, attributes, context)
        first_s = first_chunk_s(timing)
        if first_s is not None:
            self._first.record(first_s, plain, context)
        if self._gap is not None and timing.gaps is not None:
            for gap_s, count in _each(timing.gaps):
                for _ in range(count):
                    self._gap.record(gap_s, plain, context)
        for kind, count in tokens.items():
            self._tokens.record(count, {**plain, "gen_ai.token.type": kind}, context)


def first_chunk_s(timing: Timing) -> float | None:
    """Return the seconds from the first sending of a request to the first event of its answer."""
    sent_ns = timing.sent_ns if timing.first_sent_ns is None else timing.first_sent_ns
    return None if timing.first_event_ns is None else (timing.first_event_ns - sent_ns) / 1e9


def _each(gaps: Gaps) -> list[tuple[float, int]]:
    """The middle of each bucket in s, and its count; the buckets of the conventions are wider."""
    return [(2 ** ((bucket - 0.5) / 4) / 1e9, count) for bucket, count in enumerate(gaps.counts) if count]
