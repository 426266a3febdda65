"""What an MCP server answers a call with, as the result of a tool."""

from __future__ import annotations

import binascii
from base64 import b64decode
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from streamkit.errors import ProtocolError
from streamkit.parts import AudioPart, EmbeddedImage, FilePart, ImagePart, Part, TextPart, ValuePart
from streamkit.tools import ToolResult

if TYPE_CHECKING:
    from mcp.types import CallToolResult, ContentBlock

__all__ = ["tool_result"]

_OWN_META = "io.modelcontextprotocol/"


def tool_result(answer: CallToolResult) -> ToolResult:
    """Return `answer` as the result of a tool; raises `ProtocolError` for data that is no base64.

    Text and the text of a resource are text; images, audio and other data are parts with their bytes. A link to a
    resource is its description, a value: its address is the server's affair, not one for a provider to fetch.
    Structured content is a value: in place of the text that says the same, else after the
    content. Where a server wraps what is no object as `{"result": …}`, the value is what that holds, and the text stays
    where it is text. `details` has the answer's `_meta`, but for MCP's own. Notes for the reader (`annotations`) are
    dropped: no provider takes them.
    """
    value: Any = [_part(block) for block in answer.content]
    structured = answer.structured_content
    if structured is not None:
        inner = structured["result"] if isinstance(structured, dict) and structured.keys() == {"result"} else None
        if not value or _says(answer.content, structured):
            value = ValuePart(structured)
        elif not _says(answer.content, inner):
            value.append(ValuePart(structured))
        elif not isinstance(inner, str):
            value = ValuePart(inner)
    meta = {key: item for key, item in (answer.meta or {}).items() if not key.startswith(_OWN_META)}
    return ToolResult(value or None, details={"_meta": meta} if meta else None, is_error=answer.is_error)


def _part(block: ContentBlock) -> Part:
    match block.type:
        case "text":
            return TextPart(block.text)
        case "image":
            return ImagePart(EmbeddedImage(block.mime_type, _bytes(block.data)))
        case "audio":
            return AudioPart(_bytes(block.data), format=_format(block.mime_type))
        case "resource_link":
            return ValuePart(block.model_dump(by_alias=True, mode="json", exclude_none=True))
    resource = block.resource
    if not hasattr(resource, "blob"):
        return TextPart(resource.text)
    data, mime = _bytes(resource.blob), resource.mime_type or "application/octet-stream"
    match mime.partition("/")[0]:
        case "image":
            return ImagePart(EmbeddedImage(mime, data))
        case "audio":
            return AudioPart(data, format=_format(mime))
    return FilePart(mime, data, name=resource.uri)


def _bytes(data: str) -> bytes:
    try:
        return b64decode(data, validate=True)
    except binascii.Error as error:
        raise ProtocolError(f"the MCP server sent data that is no base64 ({error})", frame=data) from None


def _format(mime: str) -> str:
    """The word for a format of audio: `wav` of `audio/x-wav; rate=…`."""
    return mime.partition(";")[0].partition("/")[2].strip().removeprefix("x-")


def _says(content: Sequence[ContentBlock], value: Any) -> bool:
    """Whether content is text that says the same as a value: one text, or one for each item of a list."""
    texts = [block.text for block in content if block.type == "text"]
    if len(texts) < len(content):
        return False
    if len(texts) == 1 and _is(texts[0], value):
        return True
    return isinstance(value, list) and len(value) == len(texts) and all(map(_is, texts, value))


def _is(text: str, value: Any) -> bool:
    if text == value:
        return True
    try:
        return bool(msgspec.json.decode(text) == value)
    except (msgspec.DecodeError, RecursionError):
        return False
