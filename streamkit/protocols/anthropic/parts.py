"""Parts → the content blocks of Anthropic messages, apart from what only an answer has."""

from __future__ import annotations

from typing import Any

from streamkit.blocks import Block
from streamkit.errors import ConfigError
from streamkit.parts import AudioPart, EmbeddedImage, FilePart, FunctionPart, ImagePart, ImageUrl, RawPart
from streamkit.protocols.values import base64_text, part_text, split_data_url

__all__ = ["encode_part", "extras", "text_block"]

# What `Block.extra` may hold that is for other dialects.
_ELSEWHERE = frozenset({"opaque", "reasoning_details", "prompt_cache_breakpoint"})

# A type that many write for the one that is accepted.
_MIME_TYPES = {"image/jpg": "image/jpeg"}


def encode_part(block: Block) -> dict[str, Any] | None:
    """Return the content block of what a user wrote or a tool gave.

    None for blank text, which is refused, and for what only an answer has. Raises `ConfigError` for what the dialect
    has no form for.
    """
    part = block.part
    if (text := part_text(part)) is not None:
        encoded = text_block(text)
    elif isinstance(part, ImagePart):
        encoded = {"type": "image", "source": _image_source(part.image)}
    elif isinstance(part, FilePart):
        encoded = _file(part)
    elif isinstance(part, AudioPart):
        encoded = text_block(_transcript(part))
    elif isinstance(part, RawPart) and isinstance(part.raw, dict):
        encoded = dict(part.raw)
    elif isinstance(part, FunctionPart):
        raise ConfigError(f"the call of {part.function.name!r} stands in a message's contents; it goes in tool_calls")
    else:
        return None
    return None if encoded is None else encoded | extras(block)


def text_block(text: str) -> dict[str, Any] | None:
    """Return the block of a text, None for a blank one."""
    return {"type": "text", "text": text} if text.strip() else None


def extras(block: Block) -> dict[str, Any]:
    """Return what goes with the block, such as `cache_control`."""
    return {key: value for key, value in (block.extra or {}).items() if key not in _ELSEWHERE}


def _image_source(image: ImageUrl | EmbeddedImage) -> dict[str, Any]:
    if isinstance(image, EmbeddedImage):
        return _base64(image.mime_type, base64_text(image.data))
    embedded = split_data_url(image.url)
    return _base64(*embedded) if embedded else {"type": "url", "url": image.url}


def _base64(mime_type: str, data: str) -> dict[str, Any]:
    return {"type": "base64", "media_type": _MIME_TYPES.get(mime_type, mime_type), "data": data}


def _transcript(part: AudioPart) -> str:
    if not part.transcript.strip():
        raise ConfigError("Anthropic messages take no audio; give its transcript")
    return part.transcript


def _file(part: FilePart) -> dict[str, Any]:
    mime_type = part.mime_type or ("application/pdf" if part.data is None or part.data.startswith(b"%PDF-") else "")
    picture = mime_type.startswith("image/")
    source: dict[str, Any]
    if part.file_id is not None:
        source = {"type": "file", "file_id": part.file_id}
    elif part.data is not None:
        source = _data_source(part, mime_type)
    elif part.url is not None:
        source = {"type": "url", "url": part.url}
    else:
        raise ConfigError("a file needs its bytes, its address or its id at the provider")
    if picture:
        return {"type": "image", "source": source}
    title = {"title": part.name} if part.name else {}
    return {"type": "document", "source": source, **title}


def _data_source(part: FilePart, mime_type: str) -> dict[str, Any]:
    data = part.data or b""
    if mime_type == "application/pdf" or mime_type.startswith("image/"):
        return _base64(mime_type, base64_text(data))
    try:
        return {"type": "text", "media_type": "text/plain", "data": data.decode()}
    except UnicodeDecodeError:
        raise ConfigError(
            f"Anthropic messages take a PDF, an image or text in UTF-8 as a file, not {mime_type or 'unknown bytes'}"
        ) from None
