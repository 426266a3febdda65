"""The blocks of a message while they grow, and the message that they make."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from streamkit.blocks import BlockRef, thinking_ref
from streamkit.deltas import MessageStart
from streamkit.messages import Message, Meta, Origin
from streamkit.partial_json import PartialJSON
from streamkit.parts import (
    AudioPart,
    CitationPart,
    FilePart,
    FunctionCall,
    FunctionPart,
    Part,
    RawPart,
    RefusalPart,
    ServerToolPart,
    TextPart,
)

__all__ = ["OpenBlock", "assemble"]

# What a message may hold that says nothing to anybody but its origin: ids, places in what was searched.
_BOUND = (AudioPart, CitationPart, FilePart, RawPart, ServerToolPart)

_CUT_SHORT = "the call was cut short"
_decode = msgspec.json.Decoder().decode


class OpenBlock:
    """One block while it grows. `kind` is text, thinking, refusal, tool_call, audio or part (one that came whole)."""

    __slots__ = (
        "audio",
        "call",
        "citations",
        "closed",
        "custom",
        "expires_at",
        "extra",
        "format",
        "id",
        "kind",
        "name",
        "parsed",
        "parser",
        "part",
        "pieces",
        "signature",
    )

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self.pieces: list[str] = []
        self.closed = False
        self.signature: str | None = None
        self.extra: dict[str, Any] | None = None
        self.id = ""
        self.name = ""
        self.custom = False
        self.part: Part | None = None
        self.citations: list[Any] = []
        self.audio: list[bytes] = []
        self.expires_at: int | None = None
        self.format: str | None = None
        self.call: FunctionPart | None = None
        self.parser: PartialJSON | None = None
        self.parsed = 0  # how many of the pieces the parser has seen

    def text(self) -> str:
        """Return all pieces joined."""
        if len(self.pieces) > 1:
            if self.parser is not None:
                self.partial_arguments()
            self.pieces[:] = ["".join(self.pieces)]
            self.parsed = min(self.parsed, 1)
        return self.pieces[0] if self.pieces else ""

    def replace(self, text: str) -> None:
        """Let `text` be all that came so far."""
        self.pieces[:] = [text]
        self.call = self.parser = None
        self.parsed = 0

    def partial_arguments(self) -> Any:
        """Return what the arguments say so far; the object is live."""
        if self.parser is None:
            self.parser = PartialJSON()
        for piece in self.pieces[self.parsed :]:
            self.parser.feed(piece)
        self.parsed = len(self.pieces)
        return self.parser.value

    def function(self) -> FunctionPart:
        """Return the call; its arguments are parsed once it is complete."""
        if not self.closed:
            return _function(self.id, self.name, self.text(), self.custom, False)
        if self.call is None:
            self.call = _function(self.id, self.name, self.text(), self.custom, True)
        return self.call


def assemble(start: MessageStart, blocks: Sequence[OpenBlock]) -> Message:
    """Return the message of these blocks, with an overlay where the flat fields cannot say it all."""
    contents: list[Part] = []
    calls: list[FunctionPart] = []
    refs: list[BlockRef] = []
    thoughts = [block.text() if block.kind == "thinking" else "" for block in blocks]
    thinking, at = "".join(thoughts), 0
    for block, thought in zip(blocks, thoughts, strict=True):
        signature, extra = block.signature, block.extra
        if block.kind == "thinking":
            if extra and "opaque" in extra:
                refs.append(BlockRef("opaque", data=extra["opaque"], signature=signature))
            elif thought or signature or extra:
                refs.append(thinking_ref(thinking, at, at + len(thought), signature, extra))
                at += len(thought)
        elif block.kind == "tool_call":
            refs.append(BlockRef("tool_calls", len(calls), signature=signature, extra=extra))
            calls.append(block.function())
        else:
            for part in _parts(block):
                refs.append(BlockRef("contents", len(contents), signature=signature, extra=extra))
                contents.append(part)
                signature = extra = None
    message = Message(start.role, contents)
    message.thinking = thinking or None
    message.tool_calls = calls or None
    message.id = start.id if start.role == "tool" else None
    signed = [ref for ref in refs if ref.of == "thinking"]
    if len(signed) == 1:
        message.signature = signed[0].signature
    if not _flat(refs):
        message.blocks = refs
    message.meta = _meta(start, message)
    return message


def _parts(block: OpenBlock) -> list[Part]:
    """The contents that a block other than thinking and calls makes."""
    if block.part is not None:
        return [block.part]
    text = block.text()
    if block.kind == "audio":
        return [AudioPart(b"".join(block.audio), text, block.format, block.id or None, block.expires_at)]
    if not (text or block.signature or block.extra or block.citations):
        return []
    if block.kind == "refusal":
        return [RefusalPart(text)]
    return [TextPart(text), *(CitationPart(citation) for citation in block.citations)]


def _flat(refs: list[BlockRef]) -> bool:
    """Whether the order thinking (one block), contents, calls, with `Message.signature`, says it all."""
    order = {"thinking": 0, "contents": 1, "tool_calls": 2}
    at = -1
    for ref in refs:
        if ref.of == "opaque" or ref.extra or (ref.signature and ref.of != "thinking"):
            return False
        if order[ref.of] < at or (ref.of == "thinking" and at == 0):
            return False
        at = order[ref.of]
    return True


def _meta(start: MessageStart, message: Message) -> Meta | None:
    """Name the origin where something in the message is bound to it."""
    bound = message.thinking or message.signature or message.blocks
    if not bound and not any(isinstance(part, _BOUND) for part in message.contents):
        return start.meta
    if not (start.protocol or start.provider):
        return start.meta
    origin = Origin(start.protocol or "", start.provider or "", start.model or "")
    return msgspec.structs.replace(start.meta, origin=origin) if start.meta else Meta(origin)


def _function(id: str, name: str, text: str, custom: bool, closed: bool) -> FunctionPart:
    if custom:
        error = None if closed else _CUT_SHORT
        return FunctionPart(id, FunctionCall(name), raw_arguments=text, error=error, custom=True)
    if not closed:
        return FunctionPart(id, FunctionCall(name), raw_arguments=text, error=_CUT_SHORT)
    if not text.strip():
        return FunctionPart(id, FunctionCall(name))
    try:
        arguments = _parse(text)
    except ValueError:
        return FunctionPart(id, FunctionCall(name), raw_arguments=text, error="the arguments are not valid JSON")
    if not isinstance(arguments, dict):
        return FunctionPart(id, FunctionCall(name), raw_arguments=text, error="the arguments are not a JSON object")
    return FunctionPart(id, FunctionCall(name, arguments))


def _parse(text: str) -> Any:
    """Return the value of a JSON text; raises `ValueError` where it is none."""
    try:
        return _decode(text)
    except (ValueError, RecursionError):  # what msgspec refuses may still be what the model meant
        parser = PartialJSON()
        parser.feed(text)
        parser.finish()
        if parser.error is not None:
            raise ValueError(str(parser.error)) from None
        return parser.value
