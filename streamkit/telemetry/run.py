"""The spans of an agent's run and of the tools that it calls."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from opentelemetry.context import Context, attach, detach
from opentelemetry.trace import SpanKind

from streamkit.messages import Message, MessageOutput
from streamkit.parts import FunctionPart
from streamkit.telemetry.attributes import finish_reasons, place_attributes, usage_attributes
from streamkit.telemetry.content import as_text, said, told
from streamkit.telemetry.spans import Signals, ending, fail, leave, start
from streamkit.tools import Tool
from streamkit.usage import Usage

if TYPE_CHECKING:
    from streamkit.client import Client

__all__ = ["RunSpan", "ToolSpan"]


class RunSpan:
    """One run of an agent; `context` is that of what happens in it."""

    def __init__(self, signals: Signals, client: Client, name: str, query: Message) -> None:
        self._signals = signals
        self._ended = False
        attributes = {
            "gen_ai.operation.name": "invoke_agent",
            "gen_ai.agent.name": name,
            **place_attributes(client, client.model),
        }
        if signals.content.span:
            attributes["gen_ai.input.messages"] = as_text(told([query]))
        self._span, self.context = start(signals, f"invoke_agent {name}", SpanKind.INTERNAL, attributes, None)

    def tool(self, call: FunctionPart, tool: Tool | None) -> ToolSpan:
        """Begin the span of a call, and make it the current one of this task."""
        return ToolSpan(self._signals, call, tool, self.context)

    def ended(self, output: MessageOutput | None, usage: Usage | None, error: BaseException | None) -> None:
        """End the span, unless it has ended."""
        if self._ended:
            return
        self._ended = True
        with ending(self._span):
            self._end(output, usage, error)

    def _end(self, output: MessageOutput | None, usage: Usage | None, error: BaseException | None) -> None:
        self._span.set_attributes(usage_attributes(usage))
        if output is not None:
            reasons = finish_reasons([output], ended=True)
            self._span.set_attribute("gen_ai.response.finish_reasons", reasons)
            if self._signals.content.span:
                self._span.set_attribute("gen_ai.output.messages", as_text(said([output], reasons)))
        elif isinstance(error, Exception):
            fail(self._span, error, self._signals.content)
        else:
            leave(self._span, error)


class ToolSpan:
    """One call of a tool, which is the current span of the task that runs it."""

    def __init__(self, signals: Signals, call: FunctionPart, tool: Tool | None, parent: Context) -> None:
        self._signals = signals
        self._error: BaseException | None = None
        self._ended = False
        name = call.function.name
        attributes: dict[str, Any] = {
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": name,
            "gen_ai.tool.type": "function",
            "gen_ai.tool.call.id": call.id,
        }
        if tool is not None and tool.spec.description:
            attributes["gen_ai.tool.description"] = tool.spec.description
        if signals.content.span:
            attributes["gen_ai.tool.call.arguments"] = as_text(call.function.arguments)
        self._span, context = start(signals, f"execute_tool {name}", SpanKind.INTERNAL, attributes, parent)
        self._token = attach(context)

    def failed(self, error: BaseException) -> None:
        """Note why the call failed."""
        self._error = error

    def ended(self, message: Message | None) -> None:
        """End the span, unless it has ended."""
        if self._ended:
            return
        self._ended = True
        detach(self._token)
        with ending(self._span):
            self._end(message)

    def _end(self, message: Message | None) -> None:
        if isinstance(self._error, Exception):
            fail(self._span, self._error, self._signals.content)
        elif message is None:
            leave(self._span, self._error)
        if message is not None and self._signals.content.span:
            (result,) = told([message])
            self._span.set_attribute("gen_ai.tool.call.result", as_text(result["parts"][0]["response"]))
