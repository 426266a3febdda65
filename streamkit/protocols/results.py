"""What tools gave that a dialect has no form for: told in words, since no result may end a run.

What a user sends is his to change, and an error; what a tool gave is there already when the request is made.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from streamkit.blocks import Block
from streamkit.errors import ConfigError
from streamkit.messages import Message
from streamkit.parts import AudioPart, EmbeddedImage, FilePart, FunctionPart, ImagePart, TextPart
from streamkit.protocols.values import split_data_url

__all__ = ["encode_result", "in_words"]

T = TypeVar("T")

_MAX_SHOWN = 200  # characters of a name or an address


def encode_result(message: Message, encode: Callable[[Block], T | None]) -> list[tuple[Block, T]]:
    """Return the blocks of a tool's message with what `encode` makes of them, without those that it makes nothing of.

    A block for which it raises `ConfigError` is a text in its place, with the same extras.
    """
    out: list[tuple[Block, T]] = []
    for block in message.iter_blocks():
        try:
            encoded = encode(block)
        except ConfigError:
            block = Block(TextPart(in_words(block.part)), extra=block.extra)
            encoded = encode(block)
        if encoded is not None:
            out.append((block, encoded))
    return out


def in_words(part: object) -> str:
    """Return the words of a part, if it has any, else what it is: its kind, type and size, and its name or address."""
    if isinstance(part, AudioPart):
        if part.transcript.strip():
            return part.transcript
        format = part.format or "of unknown format"
        return _told("audio", f"audio/{format}" if part.format and "/" not in format else format, part.data)
    if isinstance(part, ImagePart):
        image = part.image
        if isinstance(image, EmbeddedImage):
            return _told("an image", image.mime_type, image.data)
        embedded = split_data_url(image.url)
        return _told("an image", embedded[0] if embedded else image.url, None)
    if isinstance(part, FilePart):
        return _told("a file", part.mime_type or "of unknown type", part.data, part.name or part.url or part.file_id)
    if isinstance(part, FunctionPart):
        return _told("a call", part.function.name, None)
    return _told("something else", type(part).__name__, None)


def _told(kind: str, type: str, data: bytes | None, name: str | None = None) -> str:
    size = f"{len(data)} bytes" if data is not None else None
    said = [word[:_MAX_SHOWN] for word in (name, type, size) if word]
    return f"[the tool gave {kind}, which cannot be shown here: {', '.join(said)}]"
