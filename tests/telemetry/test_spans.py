"""How an end is written on a span."""

from __future__ import annotations

import logging
from typing import Any

import anyio
import anyio.lowlevel
import httpx
import pytest
from opentelemetry.sdk.trace import SpanProcessor
from opentelemetry.sdk.trace.export import SimpleSpanProcessor, SpanExporter
from opentelemetry.trace import SpanKind, StatusCode, get_current_span

from streamkit.agent import Agent
from streamkit.errors import RateLimited, ToolError
from streamkit.telemetry.content import Content
from streamkit.telemetry.spans import ending, error_type, fail, leave, start
from streamkit.testing import Answer, Call, ReplayTransport


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


class Broken(SpanProcessor, SpanExporter):
    """Raises at one moment."""

    def __init__(self, moment: str) -> None:
        self._moment = moment

    def on_start(self, span: Any, parent_context: Any = None) -> None:
        self._at("start")

    def on_end(self, span: Any) -> None:
        self._at("end")

    def export(self, spans: Any) -> Any:
        self._at("export")

    def shutdown(self) -> None:
        """Nothing is held."""

    def _at(self, moment: str) -> None:
        if moment == self._moment:
            raise RuntimeError("no room left")


@pytest.mark.parametrize("moment", ["start", "end", "export"])
async def test_a_broken_processor_or_exporter_breaks_no_run(
    moment: str, seen: Any, caplog: pytest.LogCaptureFixture
) -> None:
    broken = Broken(moment)
    seen.tracers.add_span_processor(SimpleSpanProcessor(broken) if moment == "export" else broken)
    around = []

    async def look() -> str:
        around.append(get_current_span().get_span_context().trace_id)
        return "sunny"

    script = ReplayTransport([Answer([Call("look", {})]), Answer(["Sunny."])] * 2)
    async with httpx.AsyncClient(transport=script) as http:
        agent = Agent("openai/m", api_key="k", tools=[look], http_client=http, telemetry=seen.telemetry())
        with caplog.at_level(logging.ERROR):
            for _ in range(2):
                outputs = [output async for output in agent.run("Weather?")]
                assert outputs[-1].message.text == "Sunny."
    assert "no room left" in caplog.text
    assert len(around) == 2 and all(around) is (moment != "start")


def test_what_happens_in_a_span_that_could_not_begin_stands_below_its_parent(
    seen: Any, caplog: pytest.LogCaptureFixture
) -> None:
    signals = seen.telemetry()._signals
    outer, context = start(signals, "outer", SpanKind.INTERNAL, {}, None)
    seen.tracers.add_span_processor(Broken("start"))
    lost, below = start(signals, "lost", SpanKind.INTERNAL, {}, context)
    assert get_current_span(below).get_span_context() == outer.get_span_context()
    with ending(lost):
        pass
    assert outer.is_recording(), "the end of one is not that of the other"
