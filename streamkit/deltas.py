"""Deltas: what a stream says piece by piece, one vocabulary for every provider.

A message is `MessageStart`, then blocks, then `MessageEnd`. A block is `XStart`, `XDelta`…, `XEnd`, or whole in one
`BlockAdded`. `index` numbers the blocks of a choice from 0 without gaps; blocks may overlap (parallel calls).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias, Union

from msgspec import Struct, structs

from streamkit.messages import FinishReason, Meta, Role
from streamkit.parts import Part, as_part
from streamkit.tags import snake_case
from streamkit.usage import Usage

__all__ = [
    "AudioDelta",
    "BlockAdded",
    "CitationAdded",
    "Delta",
    "Logprobs",
    "MessageDeltaOutput",
    "MessageEnd",
    "MessageStart",
    "RawFrame",
    "RefusalDelta",
    "RefusalEnd",
    "RefusalStart",
    "Replace",
    "Retract",
    "TextDelta",
    "TextEnd",
    "TextStart",
    "ThinkingDelta",
    "ThinkingEnd",
    "ThinkingStart",
    "ToolCallDelta",
    "ToolCallEnd",
    "ToolCallStart",
    "UnknownFrame",
    "UsageSnapshot",
]


class _OfChoice(Struct, frozen=True, kw_only=True, tag=snake_case, omit_defaults=True):
    choice: int = 0  # which of n answers


class _Closing(_OfChoice, frozen=True, kw_only=True):
    signature: str | None = None  # the provider's, to be sent back with the block
    extra: dict[str, Any] | None = None  # what else it wants back


class MessageStart(_OfChoice, frozen=True):
    """A message begins; `id` is the response's (on a tool message the answered call's).

    `protocol`, `provider` and `model` say where it comes from, `meta` what else is known of it beforehand.
    """

    role: Role = "assistant"
    id: str | None = None
    model: str | None = None
    provider: str | None = None
    protocol: str | None = None
    meta: Meta | None = None


class TextStart(_OfChoice, frozen=True):
    """A block of text begins."""

    index: int


class TextDelta(_OfChoice, frozen=True, gc=False):
    """More text."""

    index: int
    text: str


class TextEnd(_Closing, frozen=True):
    """A block of text is complete."""

    index: int


class ThinkingStart(_OfChoice, frozen=True):
    """A block of thinking begins."""

    index: int


class ThinkingDelta(_OfChoice, frozen=True, gc=False):
    """More thinking."""

    index: int
    text: str


class ThinkingEnd(_Closing, frozen=True):
    """A block of thinking is complete. Where `extra` has `opaque`, the block is that, with no text of its own."""

    index: int


class ToolCallStart(_OfChoice, frozen=True):
    """A call begins; `custom` says that its input is free text, not JSON."""

    index: int
    id: str
    name: str
    custom: bool = False


class ToolCallDelta(_OfChoice, frozen=True, gc=False):
    """More of the text of a call's arguments."""

    index: int
    arguments: str


class ToolCallEnd(_Closing, frozen=True):
    """A call is complete: only from here on may it be run."""

    index: int


class RefusalStart(_OfChoice, frozen=True):
    """The text of a refusal begins."""

    index: int


class RefusalDelta(_OfChoice, frozen=True, gc=False):
    """More of the text of a refusal."""

    index: int
    text: str


class RefusalEnd(_Closing, frozen=True):
    """The text of a refusal is complete."""

    index: int


class BlockAdded(_Closing, frozen=True):
    """A block that came whole: an image, a file, a server tool's call or result, a tool's result."""

    index: int
    if TYPE_CHECKING:
        part: Part
    else:  # decoded as plain data, since an unknown tag must not be an error
        part: Any

    def __post_init__(self) -> None:
        if not isinstance(self.part, Struct):
            structs.force_setattr(self, "part", as_part(self.part))


class AudioDelta(_OfChoice, frozen=True):
    """More sound (decoded bytes) or transcript of the audio block at `index`, which this opens if it is new.

    `format` is the provider's word for the sound, where the stream says it.
    """

    index: int
    data: bytes = b""
    transcript: str = ""
    id: str | None = None
    expires_at: int | None = None  # s since 1970
    format: str | None = None


class CitationAdded(_OfChoice, frozen=True):
    """A source for the text block at `index`, as the provider gave it."""

    index: int
    citation: Any


class Logprobs(_OfChoice, frozen=True):
    """Log probabilities of the newest tokens, as the provider gave them: a list for the text, one for a refusal."""

    content: list[Any] | None = None
    refusal: list[Any] | None = None


class Replace(_OfChoice, frozen=True):
    """The text, thinking or arguments of the block at `index` are `text` from the beginning."""

    index: int
    text: str


class UsageSnapshot(Struct, frozen=True, tag=snake_case):
    """The token counts so far, cumulative for the response."""

    usage: Usage


class Retract(Struct, frozen=True, tag=snake_case, omit_defaults=True):
    """Drop all that this message streamed; a new `MessageStart` follows."""

    reason: str = ""


class UnknownFrame(Struct, frozen=True, tag=snake_case, omit_defaults=True):
    """A frame that the parser does not know, as it came."""

    raw: str
    event: str = ""


class RawFrame(Struct, frozen=True, tag=snake_case, omit_defaults=True):
    """A frame as it came, ahead of the deltas made from it; only where `include_raw` asks for it.

    `raw` is its data as text; `data` are its bytes where they are no text in UTF-8, so that `raw` lacks something. Of
    a binary message it is the payload. `event` is its name.
    """

    raw: str
    event: str = ""
    data: bytes | None = None


class MessageEnd(_OfChoice, frozen=True):
    """The message is complete; the last delta of its choice.

    `model` is the one that answered where another took over from that of the start. `extra` is what the provider
    says of the answer as a whole and no other delta has a place for, under its own names (a container, say).
    """

    finish_reason: FinishReason
    model: str | None = None
    extra: dict[str, Any] | None = None


Delta: TypeAlias = Union[
    MessageStart,
    TextStart,
    TextDelta,
    TextEnd,
    ThinkingStart,
    ThinkingDelta,
    ThinkingEnd,
    ToolCallStart,
    ToolCallDelta,
    ToolCallEnd,
    RefusalStart,
    RefusalDelta,
    RefusalEnd,
    BlockAdded,
    AudioDelta,
    CitationAdded,
    Logprobs,
    Replace,
    UsageSnapshot,
    Retract,
    UnknownFrame,
    RawFrame,
    MessageEnd,
]


class MessageDeltaOutput(Struct, frozen=True, omit_defaults=True):
    """A piece of a message; `finish_reason` is set on the one that carries `MessageEnd`."""

    delta: Delta
    finish_reason: FinishReason | None = None
    usage: Usage | None = None
    depth: int = 0
    source_agent: str | None = None
