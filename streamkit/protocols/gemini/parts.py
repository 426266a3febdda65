"""Parts → the parts of Gemini's contents, apart from what only an answer has.

https://ai.google.dev/api/caching#Part, checked 2026-11-29.
"""

from __future__ import annotations

from typing import Any

from streamkit.blocks import Block
from streamkit.errors import ConfigError
from streamkit.parts import AudioPart, EmbeddedImage, FilePart, FunctionPart, ImagePart, ImageUrl, RawPart
from streamkit.protocols.images import not_embedded
from streamkit.protocols.values import base64_text, part_text, split_data_url

__all__ = ["encode_media", "encode_part", "told"]

# Addresses of files that Google has already: uploaded to the Files API or in its cloud storage.
_FILES_API = "https://generativelanguage.googleapis.com/"
_FILES = (_FILES_API, "gs://")

# What `Block.extra` may hold for a part.
_EXTRAS = ("videoMetadata", "mediaResolution")

# What many call a format of sound.
_AUDIO = {"mpeg": "mp3", "pcm16": "pcm"}


def encode_part(block: Block) -> dict[str, Any] | None:
    """Return the part of what a user wrote or a tool gave.

    None for empty text, which is refused, and for what only an answer has. Raises `ConfigError` for what the dialect
    has no form for.
    """
    part = block.part
    if (text := part_text(part)) is not None:
        return {"text": text} if text else None
    if isinstance(part, RawPart) and isinstance(part.raw, dict):
        return dict(part.raw)
    if isinstance(part, FunctionPart):
        raise ConfigError(f"the call of {part.function.name!r} stands in a message's contents; it goes in tool_calls")
    encoded = encode_media(part)
    if encoded is None:
        return None
    return encoded | {name: value for name, value in (block.extra or {}).items() if name in _EXTRAS}


def encode_media(part: object) -> dict[str, Any] | None:
    """Return an image, sound or a file as a part, None for a part that is none of them."""
    if isinstance(part, ImagePart):
        return _image(part.image)
    if isinstance(part, AudioPart):
        return _audio(part)
    return _file(part) if isinstance(part, FilePart) else None


def told(part: object) -> str | None:
    """Return in words what another provider's model showed: an image that is an address, sound, a file.

    Their ids and addresses are that provider's. None for what can be shown, or is neither.
    """
    if isinstance(part, ImagePart) and isinstance(part.image, ImageUrl):
        return None if split_data_url(part.image.url) else f"[image {part.image.url[:200]}]"
    if isinstance(part, FilePart):
        return f"[file {part.name}]" if part.name else "[file]"
    return part.transcript if isinstance(part, AudioPart) else None


def _image(image: ImageUrl | EmbeddedImage) -> dict[str, Any]:
    if isinstance(image, EmbeddedImage):
        return _inline(image.mime_type, image.data)
    embedded = split_data_url(image.url)
    if embedded is not None:
        return {"inlineData": {"mimeType": embedded[0], "data": embedded[1]}}
    if image.url.startswith(_FILES):
        return {"fileData": {"fileUri": image.url}}
    raise not_embedded("Gemini", image.url, "upload it to the Files API and give the address of the upload")


def _audio(part: AudioPart) -> dict[str, Any] | None:
    if part.data:
        format = part.format or "wav"
        return _inline(format if "/" in format else f"audio/{_AUDIO.get(format, format)}", part.data)
    if not part.transcript:
        raise ConfigError("sound needs its bytes in `data`, or a transcript to stand in for it")
    return {"text": part.transcript}


def _file(part: FilePart) -> dict[str, Any]:
    if part.data is not None:
        mime_type = part.mime_type or ("application/pdf" if part.data.startswith(b"%PDF-") else "")
        if not mime_type:
            raise ConfigError("Gemini takes a file's bytes only with their type: set FilePart.mime_type")
        return _inline(mime_type, part.data)
    uri = part.url
    if part.file_id is not None:
        uri = part.file_id if "://" in part.file_id else f"{_FILES_API}v1beta/{part.file_id}"
    if uri is None:
        raise ConfigError("a file needs its bytes, its address or its id at the provider")
    return {"fileData": {"mimeType": part.mime_type, "fileUri": uri} if part.mime_type else {"fileUri": uri}}


def _inline(mime_type: str, data: bytes) -> dict[str, Any]:
    return {"inlineData": {"mimeType": mime_type, "data": base64_text(data)}}
