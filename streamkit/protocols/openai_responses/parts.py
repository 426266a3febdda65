"""Parts → the content parts of input items, apart from what only an answer has.

https://platform.openai.com/docs/api-reference/responses/create, checked 2026-11-29.
"""

from __future__ import annotations

from typing import Any

from streamkit.blocks import Block
from streamkit.errors import ConfigError
from streamkit.parts import AudioPart, EmbeddedImage, FilePart, FunctionPart, ImagePart, ImageUrl, RawPart
from streamkit.protocols.images import not_embedded
from streamkit.protocols.quirks import Quirks
from streamkit.protocols.values import base64_text, data_url, part_text, split_data_url

__all__ = ["collapse", "encode_part", "encode_result_part", "extras", "told"]

# What `Block.extra` may hold that is for other dialects.
_ELSEWHERE = frozenset({"opaque", "reasoning_details", "cache_control"})


def encode_part(block: Block, quirks: Quirks) -> dict[str, Any] | None:
    """Return the content part of what a user wrote or a tool gave.

    None for what only an answer has (a citation, a server's tool). Raises `ConfigError` for what the dialect has no
    form for.
    """
    part = block.part
    if (text := part_text(part)) is not None:
        encoded = {"type": "input_text", "text": text}
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
    return encoded | extras(block)


def encode_result_part(block: Block, quirks: Quirks) -> dict[str, Any] | None:
    """Return the same of what a tool gave; there no sound is taken."""
    if isinstance(block.part, AudioPart):
        raise ConfigError("the output of a call holds text, images and files only")
    return encode_part(block, quirks)


def extras(block: Block) -> dict[str, Any]:
    """Return what goes with the block's own part or item, such as its id."""
    return {key: value for key, value in (block.extra or {}).items() if key not in _ELSEWHERE}


def collapse(parts: list[dict[str, Any]]) -> str | list[dict[str, Any]]:
    """Return one mere text as a string, which every server takes, anything else as the list of parts; "" for none."""
    return parts[0]["text"] if len(parts) == 1 and parts[0].keys() == {"type", "text"} else parts or ""


def told(part: object) -> str | None:
    """Return what the dialect can tell only in words of a part of an answer."""
    if isinstance(part, ImagePart):
        return "[image]"
    if isinstance(part, FilePart):
        return f"[file {part.name}]" if part.name else "[file]"
    return part.transcript if isinstance(part, AudioPart) else part_text(part)


def _image(image: ImageUrl | EmbeddedImage, quirks: Quirks) -> dict[str, Any]:
    if isinstance(image, EmbeddedImage):
        return {"type": "input_image", "image_url": data_url(image.mime_type, image.data), "detail": "auto"}
    if not quirks.image_urls and split_data_url(image.url) is None:
        raise not_embedded("this provider", image.url)
    return {"type": "input_image", "image_url": image.url, "detail": image.detail or "auto"}


def _audio(part: AudioPart) -> dict[str, Any]:
    if not part.data:
        raise ConfigError("a user's audio needs its bytes in `data`; Responses take it in no other form")
    return {"type": "input_audio", "input_audio": {"data": base64_text(part.data), "format": part.format or "wav"}}


def _file(part: FilePart, quirks: Quirks) -> dict[str, Any]:
    picture = (part.mime_type or "").startswith("image/")
    if part.file_id is not None:
        return {"type": "input_image" if picture else "input_file", "file_id": part.file_id} | (
            {"detail": "auto"} if picture else {}
        )
    if part.data is not None:
        mime_type = part.mime_type or "application/pdf"
        if picture:
            return _image(EmbeddedImage(mime_type, part.data), quirks)
        return {"type": "input_file", "filename": part.name or "file", "file_data": data_url(mime_type, part.data)}
    if part.url is not None:
        return _image(ImageUrl(part.url), quirks) if picture else {"type": "input_file", "file_url": part.url}
    raise ConfigError("a file needs its bytes, its address or its id at the provider")
