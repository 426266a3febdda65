"""The overlay that keeps the order of a message's blocks and a signature for each.

Real answers interleave thinking, text and calls. The flat fields of a message cannot say in which order, so
`Message.blocks` lists references to them. It holds no text of its own: where somebody edits the flat fields, the
references no longer fit and the overlay is ignored.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Sequence
from typing import Any, Literal

from msgspec import Struct

from streamkit.parts import FunctionPart, Part

__all__ = ["Block", "BlockRef", "OpaquePart", "ThinkingPart", "iter_blocks", "thinking_ref"]


class BlockRef(Struct, frozen=True, omit_defaults=True):
    """A reference to one block of a message.

    `of` names the field; for `thinking` the block is the characters `start:end` (`check` is the CRC-32 of the
    UTF-8 of one that is signed or has an `extra`, which may repeat it), for the lists it is the item `start`; an
    `opaque` block stands in no field and is `data` itself (redacted thinking, say). `extra` is what else the provider
    wants back.
    """

    of: Literal["thinking", "contents", "tool_calls", "opaque"]
    start: int = 0
    end: int = 0
    signature: str | None = None
    extra: dict[str, Any] | None = None
    data: Any = None
    check: int | None = None


class ThinkingPart(Struct, frozen=True, tag="thinking"):
    """A span of `Message.thinking`, as `iter_blocks` yields it."""

    text: str


class OpaquePart(Struct, frozen=True, tag="opaque"):
    """A block that only its provider can read, as `iter_blocks` yields it; `data` is the block as it came."""

    data: Any


class Block(Struct, frozen=True):
    """One block of a message with what its provider wants back."""

    part: Part | ThinkingPart | OpaquePart
    signature: str | None = None
    extra: dict[str, Any] | None = None


def thinking_ref(thinking: str, start: int, end: int, signature: str | None, extra: dict[str, Any] | None) -> BlockRef:
    """Return the reference to a span of `thinking`."""
    check = _check(thinking[start:end]) if signature or extra else None
    return BlockRef("thinking", start, end, signature=signature, extra=extra, check=check)


def iter_blocks(
    refs: list[BlockRef] | None,
    thinking: str | None,
    contents: Sequence[Part],
    calls: Sequence[FunctionPart],
    signature: str | None,
) -> Iterator[Block]:
    """Yield the blocks in the order of `refs` where they fit, else thinking, contents, calls."""
    if refs and _fits(refs, thinking or "", len(contents), len(calls)):
        for ref in refs:
            yield Block(_resolve(ref, thinking or "", contents, calls), ref.signature, ref.extra)
        return
    if thinking or signature:
        yield Block(ThinkingPart(thinking or ""), signature)
    for part in (*contents, *calls):
        yield Block(part)


def _resolve(
    ref: BlockRef, thinking: str, contents: Sequence[Part], calls: Sequence[FunctionPart]
) -> Part | ThinkingPart | OpaquePart:
    match ref.of:
        case "thinking":
            return ThinkingPart(thinking[ref.start : ref.end])
        case "contents":
            return contents[ref.start]
        case "tool_calls":
            return calls[ref.start]
        case "opaque":
            return OpaquePart(ref.data)


def _fits(refs: list[BlockRef], thinking: str, contents: int, calls: int) -> bool:
    """Whether the references name every character of the thinking and every item once, in order."""
    at, seen = 0, {"contents": 0, "tool_calls": 0}
    for ref in refs:
        if ref.of == "thinking":
            if ref.start != at or ref.end < at or ref.end > len(thinking):
                return False
            at = ref.end
            if ref.check is not None and ref.check != _check(thinking[ref.start : ref.end]):
                return False
        elif ref.of != "opaque":
            if ref.start != seen[ref.of]:
                return False
            seen[ref.of] += 1
    return at == len(thinking) and seen == {"contents": contents, "tool_calls": calls}


def _check(text: str) -> int:
    return zlib.crc32(text.encode("utf-8", "surrogatepass"))
