"""A step of what the model says: text with its sources, and images, sound and files between."""

from __future__ import annotations

from typing import Any

import msgspec

from streamkit.deltas import AudioDelta, BlockAdded, CitationAdded, Delta, TextDelta, TextEnd, TextStart
from streamkit.parts import RawPart
from streamkit.protocols.anthropic.blocks import StreamedBlock
from streamkit.protocols.gemini_interactions.media import MEDIA, audio_format, media_extra, read_media
from streamkit.protocols.gemini_interactions.shelf import Shelf
from streamkit.protocols.openai_chat.media import read_base64
from streamkit.protocols.openai_responses.views import listed, text

__all__ = ["TEXTUAL", "OutputStep"]

# The types of deltas that belong to a text; the last is that of before May 2026.
TEXTUAL = ("text", "text_annotation_delta", "text_annotation")


class OutputStep:
    """What the model says while it grows. Its texts are blocks, each until something else comes."""

    def __init__(self, key: int, step: dict[str, Any], shelf: Shelf, out: list[Delta]) -> None:
        self._key = key
        self._shelf = shelf
        self._text = -1  # the block of text that came last
        self._sound: tuple[int, str | None] | None = None  # that of sound which may go on, and its format
        self._cited: set[bytes] = set()
        for content in listed(step, "content"):
            self._close(out)
            if not self.take(content, out):
                out.append(BlockAdded(shelf.take_index(), RawPart(content)))

    def take(self, delta: dict[str, Any], out: list[Delta]) -> bool:
        """Take in a content or a delta; False where the model says nothing of its type."""
        kind = text(delta, "type")
        if kind in TEXTUAL:
            if kind == "text" or self._text < 0:
                self._open(out).append(text(delta, "text"), out)
            for annotation in listed(delta, "annotations"):
                self._cite(annotation, out)
        elif kind == "audio" and (data := text(delta, "data")):
            self._hear(read_base64(data), audio_format(delta), out)
        elif kind in MEDIA:
            part = read_media(delta)
            if part is not None:
                self._close(out)
                out.append(BlockAdded(self._shelf.take_index(), part, extra=media_extra(delta)))
        else:
            return False
        return True

    def stop(self, out: list[Delta]) -> None:
        """Give out the end."""
        self._close(out)

    def _open(self, out: list[Delta]) -> StreamedBlock:
        block = self._shelf.open.get(self._key)
        if block is None:
            self._sound = None
            self._text = self._shelf.take_index()
            block = self._shelf.open[self._key] = StreamedBlock(self._text, "text", TextDelta, TextEnd)
            out.append(TextStart(self._text))
        return block

    def _close(self, out: list[Delta]) -> None:
        self._sound = None
        if block := self._shelf.open.pop(self._key, None):
            block.stop(out)

    def _cite(self, annotation: dict[str, Any], out: list[Delta]) -> None:
        """Give out a source; the deltas of a text that grows may repeat those of before."""
        encoded = msgspec.json.encode(annotation, order="deterministic")
        if encoded not in self._cited:
            self._cited.add(encoded)
            out.append(CitationAdded(self._text, annotation))

    def _hear(self, data: bytes, format: str | None, out: list[Delta]) -> None:
        if self._sound is None or format not in (None, self._sound[1]):
            self._close(out)
            self._sound = self._shelf.take_index(), format
        out.append(AudioDelta(self._sound[0], data, format=format))
