"""How a run is cut off by its user: for good, or for something that he says."""

from __future__ import annotations

import inspect
import logging
from typing import Any

import anyio

from streamkit.agent.hooks import Hook
from streamkit.agent.results import ABORTED_CALL, STEERED_CALL
from streamkit.agent.runner import ToolRunner
from streamkit.client import Stream
from streamkit.transport.background import spawn

__all__ = ["Control"]

logger = logging.getLogger("streamkit")


class Control:
    """What a run waits for now, and whether it was told to wait no longer.

    The run sets `stream` and `runner` while it reads them, and looks at `aborting` and `interrupted` after whatever it
    has waited for. An interruption is over when the message that it was for has been taken.
    """

    def __init__(self) -> None:
        self.aborting = False
        self.interrupted = False
        self.cut = False  # either of them: the turn is cut off
        self.stream: Stream | None = None  # of the message that is under way
        self.runner: ToolRunner | None = None  # of the calls that are under way
        self._hook: anyio.CancelScope | None = None

    def abort(self) -> None:
        """Wait for nothing any more."""
        self.aborting = self.cut = True
        if self._hook is not None:
            self._hook.cancel()
        self._stop(ABORTED_CALL)

    def heard(self) -> None:
        """End an interruption: what the user said has been taken."""
        self.interrupted, self.cut = False, self.aborting

    def interrupt(self) -> None:
        """Wait no longer for the model, nor for tools."""
        if not self.cut:
            self.interrupted = self.cut = True
            self._stop(STEERED_CALL)

    async def call(self, hook: Hook[Any], *arguments: Any) -> Any:
        """Return what a hook of the user's gives, plain or async; None where the run was aborted meanwhile.

        Raises `ConfigError` for what the hook is not to give.
        """
        if self.aborting:
            return None
        value = hook.function(*arguments)
        if inspect.isawaitable(value):
            try:
                with anyio.CancelScope() as self._hook:
                    value = await value
            finally:
                self._hook = None
        return None if self.aborting else hook.read(value)

    def _stop(self, text: str) -> None:
        if self.runner is not None:
            self.runner.interrupt(text)
        elif self.stream is not None:
            stream = self.stream

            async def close() -> None:
                try:
                    await stream.aclose()
                except Exception:  # the task is nobody's, and on trio an error in it would end all
                    logger.warning("an error while the stream of an aborted run was closed", exc_info=True)

            spawn(close)
