"""The chunks of a streaming backend → deltas.

Each chunk is an `Assistant` with one thing in it. In the mode `incremental` a chunk of text or thinking holds the new
piece, in `cumulative` all so far of the whole answer. Which of them it is must be said: nothing in the chunks tells
it, since "ha", "ha" is right in both.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, TypeAlias

from streamkit.accumulator import accumulate
from streamkit.deltas import Delta, MessageEnd, MessageStart, UsageSnapshot
from streamkit.errors import ConfigError
from streamkit.interop.foundation.content import TextContent, ThinkingContent, ToolCall, to_usage
from streamkit.interop.foundation.convert import from_answer, part_of
from streamkit.interop.foundation.messages import Assistant
from streamkit.interop.foundation.stops import finish_of
from streamkit.limits import Limits
from streamkit.protocols.base import mint_call_id
from streamkit.protocols.cumulative import WholeText
from streamkit.protocols.values import json_text
from streamkit.protocols.writer import BlockWriter, Kind
from streamkit.usage import Usage

__all__ = ["ChunkReader", "Mode", "fold_chunks"]

Mode: TypeAlias = Literal["incremental", "cumulative"]


def fold_chunks(chunks: Iterable[Assistant], mode: Mode) -> list[Assistant]:
    """Return the chunks of one answer as its messages, one for each block, with the usage counted once."""
    reader = ChunkReader(mode)
    deltas = [delta for chunk in chunks for delta in reader.feed(chunk)]
    return from_answer(accumulate([*deltas, *reader.finish()]))


class ChunkReader:
    """The chunks of one answer → deltas.

    In the mode `cumulative`, what is sent again at the end (the whole text, calls) says nothing new; a text that does
    not go on with the one before replaces it; the signature of a block that other blocks followed is lost, and so are
    `depends_on` and `execution_hint` of calls, which deltas have no place for. Raises `ConfigError` for another mode.
    """

    def __init__(self, mode: Mode) -> None:
        if mode not in ("incremental", "cumulative"):
            raise ConfigError(f"chunks are incremental or cumulative, not {mode!r}")
        self._writer = BlockWriter(0, mint=mint_call_id, limits=Limits(), seal=self._seal)
        kinds: tuple[Kind, ...] = ("text", "thinking")
        self._whole = {kind: WholeText(self._writer, kind) for kind in kinds} if mode == "cumulative" else None
        self._signatures: dict[Kind, str] = {}  # of the open block, by its kind
        self._calls: set[str] = set()
        self._last: Assistant | None = None
        self._usage: Usage | None = None

    def feed(self, chunk: Assistant) -> list[Delta]:
        """Return what is new in a chunk."""
        out: list[Delta] = []
        if self._last is None:
            out.append(MessageStart(model=chunk.model.name or None, provider=chunk.provider or None))
        self._last = chunk
        content = chunk.content
        if isinstance(content, TextContent):
            self._say(out, "text", content.content, content.signature)
        elif isinstance(content, ThinkingContent):
            self._say(out, "thinking", content.thinking, content.signature)
        else:
            self._settle(out)
            self._close(out)
            if not isinstance(content, ToolCall):
                self._writer.add(out, part_of(content))
            elif self._whole is None or content.id not in self._calls:
                self._calls.add(content.id)
                index = self._writer.open_call(out, content.id, content.name)
                self._writer.arguments(out, index, json_text(content.arguments))
                self._writer.end_call(out, index, signature=content.signature)
        usage = to_usage(chunk.usage)
        if usage is not None and usage != self._usage:
            self._usage = usage
            out.append(UsageSnapshot(usage))
        return out

    def finish(self) -> list[Delta]:
        """Return the end, as the last chunk gives it; nothing where there was none."""
        if self._last is None:
            return []
        out: list[Delta] = []
        self._settle(out)
        self._close(out)
        return [*out, MessageEnd(finish_of(self._last))]

    def _say(self, out: list[Delta], kind: Kind, text: str, signature: str | None) -> None:
        writer = self._writer
        if self._whole is not None:
            self._whole[kind].write(out, text, self._whole.values())
        else:
            if writer.kind not in (None, kind) or (text and kind in self._signatures):
                self._close(out)
            writer.write(out, kind, text)
            if signature is not None:
                writer.open(out, kind)
        if signature is not None and writer.kind == kind:
            self._signatures[kind] = signature

    def _settle(self, out: list[Delta]) -> None:
        for whole in (self._whole or {}).values():
            whole.settle(out)

    def _close(self, out: list[Delta]) -> None:
        if self._writer.kind is not None:
            self._writer.close_open(out, signature=self._signatures.pop("text", None))

    def _seal(self) -> tuple[str | None, None]:
        return self._signatures.pop("thinking", None), None
