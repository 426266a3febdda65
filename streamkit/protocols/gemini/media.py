"""Gemini's parts that are neither text nor calls → parts of a message.

https://ai.google.dev/api/caching#Part, checked 2026-11-29.
"""

from __future__ import annotations

import binascii
from typing import Any, Literal

from streamkit.errors import ProtocolError
from streamkit.parts import AudioPart, EmbeddedImage, FilePart, ImagePart, ImageUrl, Part, RawPart, ServerToolPart

__all__ = ["ServerTools", "read_part"]

# The parts of tools that Google runs: their field, which half of an exchange it is, and the tool where it is one only.
_SERVER_TOOLS: dict[str, tuple[Literal["call", "result"], str]] = {
    "executableCode": ("call", "code_execution"),
    "codeExecutionResult": ("result", "code_execution"),
    "toolCall": ("call", ""),
    "toolResponse": ("result", ""),
}


class ServerTools:
    """The calls of server tools in one answer and their results; older servers give neither an id."""

    def __init__(self) -> None:
        self._count = 0

    def read(self, part: dict[str, Any]) -> ServerToolPart | None:
        """Return the call or the result that `part` is, None where it is neither. `raw` is the part as it came."""
        for field, (phase, name) in _SERVER_TOOLS.items():
            body = part.get(field)
            if isinstance(body, dict):
                self._count += phase == "call"
                kind = name or str(body.get("toolType") or "server_tool")
                return ServerToolPart(phase, str(body.get("id") or f"{kind}_{self._count}"), kind, part)
        return None


def read_part(part: dict[str, Any]) -> Part:
    """Return an image, sound or a file; a part of a kind that is not known as it came.

    Raises `ProtocolError` where embedded data are not base64.
    """
    inline, file = part.get("inlineData"), part.get("fileData")
    if isinstance(inline, dict) and isinstance(inline.get("data"), str):
        return _embedded(str(inline.get("mimeType") or ""), inline["data"], inline.get("displayName"))
    if isinstance(file, dict) and isinstance(file.get("fileUri"), str):
        mime_type = file.get("mimeType")
        if isinstance(mime_type, str) and mime_type.startswith("image/"):
            return ImagePart(ImageUrl(file["fileUri"]))
        return FilePart(_name(mime_type), url=file["fileUri"], name=_name(file.get("displayName")))
    return RawPart(part)


def _embedded(mime_type: str, text: str, name: Any) -> Part:
    try:
        data = binascii.a2b_base64(text, strict_mode=True)
    except ValueError as error:
        raise ProtocolError(f"the data of a part are not base64 ({error})", frame=text[:1000]) from None
    if mime_type.startswith("image/"):
        return ImagePart(EmbeddedImage(mime_type, data))
    if mime_type.startswith("audio/"):
        return AudioPart(data, format=mime_type)
    return FilePart(mime_type or None, data, name=_name(name))


def _name(value: Any) -> str | None:
    return value if isinstance(value, str) else None
