"""Parts → the content blocks of Converse, apart from what only an answer has."""

from __future__ import annotations

from typing import Any

from streamkit.errors import ConfigError
from streamkit.parts import AudioPart, FilePart, FunctionPart, ImagePart, RawPart
from streamkit.protocols.bedrock_converse.media import encode_audio, encode_file, encode_image
from streamkit.protocols.values import part_text

__all__ = ["cache_point", "encode_part", "encode_result_part", "text_block", "told"]


def encode_part(part: object) -> dict[str, Any] | None:
    """Return the content block of what a user wrote or a tool gave.

    None for blank text, which is refused, and for what only an answer has. Raises `ConfigError` for what the dialect
    has no form for.
    """
    if (text := part_text(part)) is not None:
        return text_block(text)
    if isinstance(part, ImagePart):
        return encode_image(part)
    if isinstance(part, FilePart):
        return encode_file(part)
    if isinstance(part, AudioPart):
        return encode_audio(part)
    if isinstance(part, RawPart) and isinstance(part.raw, dict):
        return dict(part.raw)
    if isinstance(part, FunctionPart):
        raise ConfigError(f"the call of {part.function.name!r} stands in a message's contents; it goes in tool_calls")
    return None


def encode_result_part(part: object) -> dict[str, Any] | None:
    """Return the same of what a tool gave; there no sound is taken."""
    if isinstance(part, AudioPart):
        raise ConfigError("the result of a tool holds no sound for Bedrock")
    return encode_part(part)


def text_block(text: str) -> dict[str, Any] | None:
    """Return the block of a text, None for a blank one."""
    return {"text": text} if text.strip() else None


def cache_point(extra: dict[str, Any] | None) -> list[dict[str, Any]]:
    """Return the cache point that `cache_control` asks for, in Anthropic's form; none where there is none."""
    mark = (extra or {}).get("cache_control")
    if not isinstance(mark, dict):
        return []
    return [{"cachePoint": {"type": "default"} | ({"ttl": mark["ttl"]} if "ttl" in mark else {})}]


def told(part: object) -> str:
    """Return what of a part of an answer can be told in words; only a user may send the thing itself."""
    if isinstance(part, ImagePart):
        return "[image]"
    if isinstance(part, FilePart):
        return f"[file {part.name}]" if part.name else "[file]"
    return part.transcript if isinstance(part, AudioPart) else part_text(part) or ""
