"""Parts: the units of content that a message is made of."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, TypeAlias, Union, get_args

import msgspec
from msgspec import Struct, field

__all__ = [
    "AudioPart",
    "CitationPart",
    "EmbeddedImage",
    "FilePart",
    "FunctionCall",
    "FunctionPart",
    "ImagePart",
    "ImageUrl",
    "Part",
    "RawPart",
    "RefusalPart",
    "ServerToolPart",
    "TextPart",
    "ValuePart",
    "as_part",
]


class TextPart(Struct, frozen=True, tag="text"):
    """Plain text."""

    text: str


class ImageUrl(Struct, frozen=True, tag="url", omit_defaults=True):
    """An image by its address; `detail` is for providers that know levels of it."""

    url: str
    detail: str | None = None


class EmbeddedImage(Struct, frozen=True, tag="embedded"):
    """An image as bytes (base64 in JSON)."""

    mime_type: str
    data: bytes


class ImagePart(Struct, frozen=True, tag="image"):
    """An image."""

    image: ImageUrl | EmbeddedImage

    def __post_init__(self) -> None:
        if not isinstance(self.image, (ImageUrl, EmbeddedImage)):
            given = type(self.image).__name__
            raise TypeError(f"an ImagePart holds an ImageUrl(url) or an EmbeddedImage(mime_type, data), not {given}")


class FunctionCall(Struct, frozen=True):
    """The name of a tool and its arguments, a JSON object."""

    name: str
    arguments: dict[str, Any] = field(default_factory=lambda: {})


class FunctionPart(Struct, frozen=True, tag="function", omit_defaults=True):
    """A call of a tool, in `Message.tool_calls`.

    Where the text that came is not a JSON object or was cut short, `arguments` is empty, `raw_arguments` is the text
    and `error` says what is wrong; such a call must not be run. For a `custom` tool, whose input is free text,
    `raw_arguments` is that text and there is no error. `depends_on` are ids of calls of the same message that must
    have ended before; `execution_hint` says whether the call may run beside others. No provider is sent these two.
    """

    id: str
    function: FunctionCall
    raw_arguments: str | None = None
    error: str | None = None
    custom: bool = False
    depends_on: tuple[str, ...] = ()
    execution_hint: Literal["parallel", "sequential"] | None = None


class ValuePart(Struct, frozen=True, tag="value"):
    """Any JSON value, such as a tool's result."""

    value: Any


class RefusalPart(Struct, frozen=True, tag="refusal"):
    """What the model said when it refused."""

    text: str


class CitationPart(Struct, frozen=True, tag="citation", omit_defaults=True):
    """A source, as the provider gave it; it follows the text that it supports, if it belongs to one text."""

    citation: Any


class AudioPart(Struct, frozen=True, tag="audio", omit_defaults=True):
    """Speech with its transcript; `format` is the provider's word (`wav`, `mp3`, `pcm16`)."""

    data: bytes = b""
    transcript: str = ""
    format: str | None = None
    id: str | None = None
    expires_at: int | None = None  # s since 1970


class FilePart(Struct, frozen=True, tag="file", omit_defaults=True):
    """A file by its bytes, its address or its id at the provider."""

    mime_type: str | None = None
    data: bytes | None = None
    url: str | None = None
    file_id: str | None = None
    name: str | None = None


class ServerToolPart(Struct, frozen=True, tag="server_tool", omit_defaults=True):
    """A tool that the provider itself ran: its call or its result. `raw` is the block as it came."""

    phase: Literal["call", "result"]
    id: str
    name: str
    raw: Any


class RawPart(Struct, frozen=True, tag="raw"):
    """A part that streamkit does not know, as it came."""

    raw: Any


Part: TypeAlias = Union[
    TextPart,
    ImagePart,
    FunctionPart,
    ValuePart,
    RefusalPart,
    CitationPart,
    AudioPart,
    FilePart,
    ServerToolPart,
    RawPart,
]

_KINDS: tuple[type[Struct], ...] = get_args(Part)
_TAGS = {kind.__struct_config__.tag for kind in _KINDS}


def as_part(value: Part | Mapping[str, Any] | str) -> Part:
    """Return `value` as a part: a string is text, a mapping a part in its JSON form, of an unknown tag a `RawPart`.

    Raises `msgspec.ValidationError` where a mapping with a known tag is not of its form, and for anything else.
    """
    if isinstance(value, _KINDS):
        return value
    if isinstance(value, str):
        return TextPart(value)
    if not isinstance(value, Mapping):
        raise msgspec.ValidationError(f"a part is an object with a `type`, not {type(value).__name__}")
    tag = value.get("type")
    if not isinstance(tag, str) or tag not in _TAGS:
        return RawPart(dict(value))
    part: Part = msgspec.convert(msgspec.to_builtins(dict(value)), Part)  # bytes become base64 and are read back
    return part
