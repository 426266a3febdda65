"""The span of one answer."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from time import perf_counter
from typing import TYPE_CHECKING, Any

from opentelemetry._logs import LogRecord
from opentelemetry.context import Context, attach, detach
from opentelemetry.trace import SpanKind

from streamkit.telemetry.attributes import (
    finish_reasons,
    operation_of,
    place_attributes,
    request_attributes,
    token_counts,
    usage_attributes,
)
from streamkit.telemetry.content import as_text, said, told
from streamkit.telemetry.metrics import first_chunk_s
from streamkit.telemetry.spans import Signals, ending, error_type, fail, leave, start

if TYPE_CHECKING:
    from streamkit.client import Client, Stream
    from streamkit.messages import MessageOutput
    from streamkit.protocols import Request

__all__ = ["StreamSpan"]


class StreamSpan:
    """One answer, over as many requests as it takes."""

    def __init__(self, signals: Signals, client: Client, request: Request | None, parent: Context | None) -> None:
        operation = operation_of(client)
        model = client.model if request is None else request.model
        self._signals = signals
        self._request = request
        self._common = {"gen_ai.operation.name": operation, **place_attributes(client, model)}
        self._began_s = perf_counter()
        attributes = self._common | request_attributes(request)
        self._span, self._context = start(signals, f"{operation} {model}", SpanKind.CLIENT, attributes, parent)

    @contextmanager
    def sending(self) -> Iterator[None]:
        """Make the span the current one, so that what the HTTP library records stands below it."""
        token = attach(self._context)
        try:
            yield
        finally:
            detach(token)

    def retrying(self, error: Exception, to: Client, number: int, wait_s: float) -> None:
        """Add an event: after which error whom is asked, as which retry, and when."""
        place = place_attributes(to, to.model)
        attributes: dict[str, Any] = {
            "error.type": error_type(error),
            "streamkit.retry.number": number,
            "streamkit.retry.wait_s": wait_s,
        }
        self._span.add_event("streamkit.retry", attributes | place)

    def ended(self, stream: Stream, error: BaseException | None) -> None:
        """End the span, and record what was measured."""
        with ending(self._span):
            self._end(stream, error)

    def _end(self, stream: Stream, error: BaseException | None) -> None:
        outputs, timing = stream.outputs, stream.timing
        ended = stream.output.finish_reason is not None
        failed = error if isinstance(error, Exception) else None
        output = outputs[0]
        attributes: dict[str, Any] = {
            "gen_ai.response.id": output.id,
            "gen_ai.response.model": output.model,
            "gen_ai.response.finish_reasons": finish_reasons(outputs, ended=ended),
            "gen_ai.response.time_to_first_chunk": first_chunk_s(timing),
            "streamkit.request_id": stream.request_id or getattr(error, "request_id", None),
            **usage_attributes(output.usage),
        }
        found = {name: value for name, value in attributes.items() if value is not None}
        self._span.set_attributes(found)
        if failed is not None:
            fail(self._span, failed, self._signals.content)
        elif not ended:
            leave(self._span, error)
        self._record(stream, outputs, found, failed)

    def _record(
        self, stream: Stream, outputs: list[MessageOutput], found: dict[str, Any], failed: Exception | None
    ) -> None:
        measured = dict(self._common)
        if "gen_ai.response.model" in found:
            measured["gen_ai.response.model"] = found["gen_ai.response.model"]
        if failed is not None:
            measured["error.type"] = error_type(failed)
        elapsed_s = perf_counter() - self._began_s
        tokens = token_counts(outputs[0].usage)
        self._signals.metrics.record(elapsed_s, stream.timing, tokens, measured, self._context)
        content = self._signals.content
        if not any(content):
            return
        messages: dict[str, Any] = {"gen_ai.output.messages": said(outputs, found["gen_ai.response.finish_reasons"])}
        if self._request is not None:
            messages["gen_ai.input.messages"] = told(self._request.messages)
        if content.span:
            self._span.set_attributes({name: as_text(value) for name, value in messages.items()})
        if content.event:
            attributes = measured | request_attributes(self._request) | found | messages
            self._signals.logger.emit(
                LogRecord(
                    event_name="gen_ai.client.inference.operation.details", attributes=attributes, context=self._context
                )
            )
