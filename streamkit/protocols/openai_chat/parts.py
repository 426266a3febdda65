"""Parts → the content parts of chat completions."""

from __future__ import annotations

from typing import Any

from streamkit.blocks import Block
from streamkit.errors import ConfigError
from streamkit.parts import AudioPart, EmbeddedImage, FilePart, FunctionPart, ImagePart, ImageUrl, RawPart
from streamkit.protocols.images import not_embedded
from streamkit.protocols.quirks import Quirks
from streamkit.protocols.values import base64_text, data_url, part_text

__all__ = ["collapse", "encode_part", "extras", "text_part"]

# What `Block.extra` may hold that is not for the part itself.
_ELSEWHERE = frozenset({"opaque", "reasoning_details", "cache_control"})


def encode_part(block: Block, quirks: Quirks) -> dict[str, Any] | None:
    """Return the content part of what a user wrote or a tool gave.

    None for what only an answer has (a citation, a server's tool). Raises `ConfigError` for what the dialect has no
    form for.
    """
    part = block.part
    if (text := part_text(part)) is not None:
        encoded = text_part(text)
    elif isinstance(part, ImagePart):
        encoded = _image(part.image, quirks)
    elif isinstance(part, AudioPart):
        encoded = _audio(part)
    elif isinstance(part, FilePart):
        encoded = _file(part, quirks)
    elif isinstance(part, RawPart) and isinstance(part.raw, dict):
        encoded = dict(part.raw)
    elif isinstance(part, FunctionPart):
        raise ConfigError(f"the call of {part.function.name!r} stands in a message's contents; it goes in tool_calls")
    else:
        return None
    return encoded | extras(block, quirks)


def text_part(text: str) -> dict[str, Any]:
    """Return the content part of a text."""
    return {"type": "text", "text": text}


def extras(block: Block, quirks: Quirks) -> dict[str, Any]:
    """Return what goes with the block's own part or call, such as a mark for the cache."""
    if not block.extra:
        return {}
    kept = {key: value for key, value in block.extra.items() if key not in _ELSEWHERE}
    if quirks.cache_control and "cache_control" in block.extra:
        kept["cache_control"] = block.extra["cache_control"]
    return kept


def collapse(parts: list[dict[str, Any]], joiner: str | None) -> str | list[dict[str, Any]]:
    """Return mere text as one string, anything else as the list of parts.

    Several texts are joined by `joiner`, or stay apart where that is None.
    """
    plain = all(part.get("type") == "text" and len(part) == 2 for part in parts)
    if plain and (joiner is not None or len(parts) < 2):
        return (joiner or "").join(part["text"] for part in parts)
    return parts


def _image(image: ImageUrl | EmbeddedImage, quirks: Quirks) -> dict[str, Any]:
    if isinstance(image, EmbeddedImage):
        return {"type": "image_url", "image_url": {"url": data_url(image.mime_type, image.data)}}
    if not quirks.image_urls and image.url.startswith(("http://", "https://")):
        raise not_embedded("this provider", image.url)
    address = {"url": image.url} if image.detail is None else {"url": image.url, "detail": image.detail}
    return {"type": "image_url", "image_url": address}


def _audio(part: AudioPart) -> dict[str, Any]:
    if not part.data:
        raise ConfigError("a user's audio needs its bytes in `data`; chat completions take it in no other form")
    return {"type": "input_audio", "input_audio": {"data": base64_text(part.data), "format": part.format or "wav"}}


def _file(part: FilePart, quirks: Quirks) -> dict[str, Any]:
    mime_type = part.mime_type or "application/pdf"
    picture = mime_type.startswith("image/")
    if part.file_id is not None:
        return {"type": "file", "file": {"file_id": part.file_id}}
    if part.data is not None:
        if picture:
            return _image(EmbeddedImage(mime_type, part.data), quirks)
        return {"type": "file", "file": {"filename": part.name or "file", "file_data": data_url(mime_type, part.data)}}
    if part.url is not None and picture:
        return _image(ImageUrl(part.url), quirks)
    raise ConfigError("chat completions take a file by its bytes or by its id at the provider, not by its address")
