"""Deltas → the chunks that a streaming backend of foundation's gives; see `chunks` for the modes."""

from __future__ import annotations

from streamkit.assembly import OpenBlock
from streamkit.blocks import Block
from streamkit.deltas import (
    BlockAdded,
    Delta,
    MessageEnd,
    MessageStart,
    RefusalDelta,
    RefusalStart,
    Replace,
    Retract,
    TextDelta,
    TextEnd,
    TextStart,
    ThinkingDelta,
    ThinkingEnd,
    ThinkingStart,
    ToolCallDelta,
    ToolCallEnd,
    ToolCallStart,
    UsageSnapshot,
)
from streamkit.interop.foundation.chunks import Mode
from streamkit.interop.foundation.content import ModelOutput, TextContent, ThinkingContent, to_usage_report
from streamkit.interop.foundation.convert import metadata_of, output_of
from streamkit.interop.foundation.messages import Assistant
from streamkit.interop.foundation.stops import error_of, stop_of
from streamkit.interop.losses import warn_left_out
from streamkit.messages import Message, MessageOutput
from streamkit.models import ModelId
from streamkit.protocols.writer import Kind
from streamkit.usage import Usage

__all__ = ["ChunkWriter"]


class ChunkWriter:
    """The deltas of one answer (the first choice) → chunks.

    A call is one chunk, when it is complete. In the mode `cumulative` a chunk has the whole text so far, so the cost of
    an answer grows with the square of its length: that is the form's. The last chunk, at `MessageEnd`, has the reason
    to stop, the usage, and once more the text. Lost: a `Replace` in the mode `incremental` (with a `HistoryWarning`),
    where one block ends and the next of its kind begins unless the first is signed (and so, in that mode, which of two
    that grow at once a piece belongs to), what is no text, thinking, image or call, and the answers beside the first.
    """

    def __init__(self, mode: Mode) -> None:
        self._whole = mode == "cumulative"
        self._calls: dict[int, OpenBlock] = {}
        self._texts: dict[Kind, dict[int, str]] = {"text": {}, "thinking": {}}  # by block, in the mode `cumulative`
        self._start = MessageStart()
        self._usage: Usage | None = None

    def feed(self, delta: Delta) -> list[Assistant]:
        """Return the chunks that a delta makes: one, or none."""
        if getattr(delta, "choice", 0):
            return []
        if isinstance(delta, MessageStart):
            self._start = delta
        elif isinstance(delta, UsageSnapshot):
            self._usage = self._usage.merge(delta.usage) if self._usage else delta.usage
        elif isinstance(delta, Retract):
            self._calls, self._texts = {}, {"text": {}, "thinking": {}}
        elif isinstance(delta, (TextDelta, RefusalDelta)):
            return [self._chunk(TextContent(self._text("text", delta.index, delta.text)))]
        elif isinstance(delta, ThinkingDelta):
            return [self._chunk(ThinkingContent(self._text("thinking", delta.index, delta.text)))]
        elif isinstance(delta, TextEnd) and delta.signature is not None:
            return [self._chunk(TextContent(self._text("text", delta.index, ""), delta.signature))]
        elif isinstance(delta, ThinkingEnd) and delta.signature is not None:
            return [self._chunk(ThinkingContent(self._text("thinking", delta.index, ""), delta.signature))]
        elif isinstance(delta, (TextStart, RefusalStart)):
            self._text("text", delta.index, "")
        elif isinstance(delta, ThinkingStart):
            self._text("thinking", delta.index, "")
        elif isinstance(delta, ToolCallStart):
            block = self._calls[delta.index] = OpenBlock("tool_call")
            block.id, block.name, block.custom = delta.id, delta.name, delta.custom
        elif isinstance(delta, ToolCallDelta):
            self._calls[delta.index].pieces.append(delta.arguments)
        elif isinstance(delta, ToolCallEnd):
            return self._call(delta)
        elif isinstance(delta, BlockAdded):
            return self._added(delta.index, Block(delta.part, delta.signature))
        elif isinstance(delta, Replace):
            return self._replace(delta)
        elif isinstance(delta, MessageEnd):
            return [self._end(delta)]
        return []

    def _text(self, kind: Kind, index: int, piece: str) -> str:
        """What a chunk of `kind` holds once `piece` has come for the block at `index`."""
        if not self._whole:
            return piece
        texts = self._texts[kind]
        texts[index] = texts.get(index, "") + piece
        return "".join(texts.values())

    def _replace(self, delta: Replace) -> list[Assistant]:
        if delta.index in self._calls:
            self._calls[delta.index].replace(delta.text)
            return []
        kind = next((kind for kind, texts in self._texts.items() if delta.index in texts), None)
        if kind is None:
            warn_left_out(delta, "a stream of chunks that hold what is new")
            return []
        self._texts[kind][delta.index] = ""
        text = self._text(kind, delta.index, delta.text)
        return [self._chunk(TextContent(text) if kind == "text" else ThinkingContent(text))]

    def _added(self, index: int, block: Block) -> list[Assistant]:
        output = output_of(block)
        if output is None:
            warn_left_out(block.part, "a stream of chunks")
            return []
        if isinstance(output, TextContent):  # a value, which is text here and so counts among it
            output.content = self._text("text", index, output.content)
        return [self._chunk(output)]

    def _call(self, delta: ToolCallEnd) -> list[Assistant]:
        call = self._calls.pop(delta.index)
        call.closed = True
        return self._added(delta.index, Block(call.function(), delta.signature))

    def _end(self, delta: MessageEnd) -> Assistant:
        finish = delta.finish_reason
        chunk = self._chunk(TextContent("".join(self._texts["text"].values())))
        chunk.stop_reason, chunk.error_detail = stop_of(finish), error_of(finish)
        chunk.metadata = metadata_of(MessageOutput(Message("assistant"), finish)) or None
        return chunk

    def _chunk(self, content: ModelOutput) -> Assistant:
        model, provider = ModelId(self._start.model or ""), self._start.provider or ""
        return Assistant(content, model, provider, usage=to_usage_report(self._usage))
