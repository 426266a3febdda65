"""What streams and runs of agents tell an observer, such as `streamkit.telemetry.Telemetry`.

A report is asked for when a thing begins and told of its end once. Nothing here is called for a delta, and nothing at
all where no observer is given. What an observer raises is raised where the thing was, so it must not.
"""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from streamkit.client.client import Client
    from streamkit.client.stream import Stream
    from streamkit.messages import Message, MessageOutput
    from streamkit.parts import FunctionPart
    from streamkit.protocols import Request
    from streamkit.tools import Tool
    from streamkit.usage import Usage

__all__ = ["Observer", "RunReport", "StreamReport", "ToolReport"]


class StreamReport(Protocol):
    """One answer, over as many requests as it takes."""

    def sending(self) -> AbstractContextManager[object]:
        """Surround the sending of a request, up to the headers of its answer."""

    def retrying(self, error: Exception, to: Client, number: int, wait_s: float) -> None:
        """Note that after `error` the same is about to be asked again, of `to`, in `wait_s` seconds."""

    def ended(self, stream: Stream, error: BaseException | None) -> None:
        """Note the end: by `error`, or, where it is None, by the last delta or because the stream was closed."""


class ToolReport(Protocol):
    """One call of a tool, in a task of its own."""

    def failed(self, error: BaseException) -> None:
        """Note why there is no result, or why it says that the call failed."""

    def ended(self, message: Message | None) -> None:
        """Note the end, with the message that answers the call, in the task in which it began."""


class RunReport(Protocol):
    """One run of an agent."""

    def tool(self, call: FunctionPart, tool: Tool | None) -> ToolReport:
        """Begin with a call; `tool` is None where there is none of its name."""

    def ended(self, output: MessageOutput | None, usage: Usage | None, error: BaseException | None) -> None:
        """Note the end: by the last answer, or by `error`. Told again, it says nothing new."""


class Observer(Protocol):
    """What is told of all streams and runs of a client."""

    def stream(self, client: Client, request: Request | None, run: RunReport | None) -> StreamReport:
        """Begin with an answer, in a run or alone; `request` is None for one that the provider kept."""

    def run(self, client: Client, name: str, query: Message) -> RunReport:
        """Begin with a run of the agent `name`."""
