"""Images, sound, videos and documents of an interaction → parts of a message.

By the types of `google-genai` 3.6.1, checked 2026-11-30. Each has its bytes in base64 or an address.
"""

from __future__ import annotations

from typing import Any

from streamkit.parts import EmbeddedImage, FilePart, ImagePart, ImageUrl
from streamkit.protocols.openai_chat.media import read_base64
from streamkit.protocols.openai_responses.views import number, text

__all__ = ["MEDIA", "audio_format", "media_extra", "read_media"]

MEDIA = frozenset({"image", "audio", "video", "document"})

# What a part says itself.
_SAID = {"type", "data", "mime_type", "uri"}


def read_media(content: dict[str, Any]) -> ImagePart | FilePart | None:
    """Return an image or a file, None where the content has neither bytes nor an address.

    Raises `ProtocolError` where the bytes are not base64.
    """
    data, uri, mime_type = (text(content, name) for name in ("data", "uri", "mime_type"))
    if content["type"] == "image" and data:
        return ImagePart(EmbeddedImage(mime_type or "image/png", read_base64(data)))
    if content["type"] == "image" and uri:
        return ImagePart(ImageUrl(uri))
    if data or uri:
        return FilePart(mime_type or None, read_base64(data) if data else None, uri or None)
    return None


def media_extra(content: dict[str, Any]) -> dict[str, Any] | None:
    """Return what else the content has that is not null (a resolution, say), None where that is nothing."""
    return {name: value for name, value in content.items() if name not in _SAID and value is not None} or None


def audio_format(content: dict[str, Any]) -> str | None:
    """Return the type of sound, with the rate and the channels as its parameters, as RFC 2586 has them."""
    mime_type = text(content, "mime_type")
    rate = content.get("sample_rate") if content.get("sample_rate") is not None else content.get("rate")
    found = {"rate": number({"rate": rate}, "rate"), "channels": number(content, "channels")}
    given = "".join(f";{name}={value}" for name, value in found.items() if value > 0)
    return mime_type + given if mime_type else None
