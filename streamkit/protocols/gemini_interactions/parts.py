"""Parts → the contents of the steps of an interaction, apart from what only an answer has.

By the types of `google-genai` 3.6.1, checked 2026-11-30.
"""

from __future__ import annotations

from typing import Any

from streamkit.blocks import Block
from streamkit.errors import ConfigError
from streamkit.parts import AudioPart, EmbeddedImage, FilePart, FunctionPart, ImagePart, ImageUrl, RawPart
from streamkit.protocols.values import base64_text, part_text, split_data_url

__all__ = ["encode_media", "encode_part", "text_content"]

# Where the files are that were uploaded to the Files API, by their names.
_FILES_API = "https://generativelanguage.googleapis.com/v1beta/"

# The words for how closely to look at an image; OpenAI's `auto` is none.
_RESOLUTIONS = frozenset({"low", "medium", "high", "ultra_high"})

# What `Block.extra` may hold for a content.
_EXTRAS = frozenset({"resolution", "processing", "name"})

# What many call a format of sound.
_AUDIO = {"pcm16": "l16", "pcm": "l16"}
_PARAMETERS = {"rate": "sample_rate", "channels": "channels"}


def encode_part(block: Block) -> dict[str, Any] | None:
    """Return the content of what a user wrote or a tool gave.

    None for empty text and for what only an answer has. Raises `ConfigError` for what the dialect has no form for.
    """
    part = block.part
    if (text := part_text(part)) is not None:
        return text_content(text) if text else None
    if isinstance(part, RawPart) and isinstance(part.raw, dict):
        return dict(part.raw)
    if isinstance(part, FunctionPart):
        raise ConfigError(f"the call of {part.function.name!r} stands in a message's contents; it goes in tool_calls")
    return encode_media(block)


def encode_media(block: Block) -> dict[str, Any] | None:
    """Return an image, sound or a file as a content, None for a part that is none of them."""
    part = block.part
    if isinstance(part, ImagePart):
        encoded = _image(part.image)
    elif isinstance(part, AudioPart):
        encoded = _audio(part)
    elif isinstance(part, FilePart):
        encoded = _file(part)
    else:
        return None
    return encoded | {name: value for name, value in (block.extra or {}).items() if name in _EXTRAS}


def text_content(text: str) -> dict[str, Any]:
    """Return a text as a content."""
    return {"type": "text", "text": text}


def _image(image: ImageUrl | EmbeddedImage) -> dict[str, Any]:
    if isinstance(image, EmbeddedImage):
        return {"type": "image", "data": base64_text(image.data), "mime_type": image.mime_type}
    embedded = split_data_url(image.url)
    given = {"uri": image.url} if embedded is None else {"data": embedded[1], "mime_type": embedded[0]}
    return {"type": "image", **given, **({"resolution": image.detail} if image.detail in _RESOLUTIONS else {})}


def _audio(part: AudioPart) -> dict[str, Any]:
    if not part.data:
        if not part.transcript:
            raise ConfigError("sound needs its bytes in `data`, or a transcript to stand in for it")
        return text_content(part.transcript)
    format, *parameters = (part.format or "wav").split(";")
    mime_type = format if "/" in format else f"audio/{_AUDIO.get(format, format)}"
    encoded: dict[str, Any] = {"type": "audio", "data": base64_text(part.data), "mime_type": mime_type}
    for parameter in parameters:
        name, _, value = parameter.strip().partition("=")
        if name in _PARAMETERS and value.isdecimal():
            encoded[_PARAMETERS[name]] = int(value)
    return encoded


def _file(part: FilePart) -> dict[str, Any]:
    mime_type = part.mime_type or ("application/pdf" if (part.data or b"").startswith(b"%PDF-") else "")
    family = mime_type.partition("/")[0]
    encoded: dict[str, Any] = {"type": family if family in ("image", "audio", "video") else "document"}
    if part.data is not None:
        if not mime_type:
            raise ConfigError("Google takes a file's bytes only with their type: set FilePart.mime_type")
        encoded["data"] = base64_text(part.data)
    elif part.file_id is not None:
        encoded["uri"] = part.file_id if "://" in part.file_id else _FILES_API + part.file_id
    elif part.url is not None:
        encoded["uri"] = part.url
    else:
        raise ConfigError("a file needs its bytes, its address or its id at the provider")
    return encoded | ({"mime_type": mime_type} if mime_type else {})
