"""Items of tools that OpenAI's servers run, or ask the caller to run in a way of their own, as parts.

Items by the types of the `openai` package 3.57.0, checked 2026-11-29.
"""

from __future__ import annotations

from typing import Any

from streamkit.errors import ProtocolError
from streamkit.parts import EmbeddedImage, ImagePart, Part, RawPart, ServerToolPart
from streamkit.protocols.openai_chat.media import read_base64
from streamkit.protocols.openai_responses.views import text

__all__ = ["IMAGE", "IN_ONE_ITEM", "read_announced", "read_item"]

IMAGE = "image_generation_call"

# The tools whose call and result are one item: it is announced as a call, and at its end it is the result.
IN_ONE_ITEM = frozenset(
    {"web_search_call", "file_search_call", "code_interpreter_call", IMAGE, "mcp_call", "mcp_list_tools"}
)


def read_announced(kind: str, raw: dict[str, Any]) -> ServerToolPart:
    """Return an item of `IN_ONE_ITEM` that begins, as a call."""
    return ServerToolPart("call", text(raw, "id"), _name(kind, raw), raw)


def read_item(kind: str, raw: dict[str, Any], id: str = "") -> tuple[Part, dict[str, Any] | None]:
    """Return an item at its end as a part, with what the provider wants back beside it.

    `id` is the one with which it was announced. A generated image is an image; its item without the image goes back
    beside it. An item of a type that is none of these stays as it came.
    """
    id = id or text(raw, "id")
    if kind == IMAGE and (image := _image(raw)) is not None:
        return image, {name: value for name, value in raw.items() if name != "result"}
    if kind in IN_ONE_ITEM:
        return ServerToolPart("result", id, _name(kind, raw), raw), None
    if kind.endswith("_call"):
        return ServerToolPart("call", text(raw, "call_id") or id, _name(kind, raw), raw), None
    if kind.endswith("_output"):
        return ServerToolPart("result", text(raw, "call_id") or id, _name(kind, raw), raw), None
    return RawPart(raw), None


def _name(kind: str, raw: dict[str, Any]) -> str:
    own = text(raw, "name") if kind in ("mcp_call", "custom_tool_call") else ""
    return own or kind.removesuffix("_output").removesuffix("_call")


def _image(raw: dict[str, Any]) -> ImagePart | None:
    data = raw.get("result")
    if not isinstance(data, str) or not data:
        return None
    try:
        return ImagePart(EmbeddedImage(f"image/{text(raw, 'output_format') or 'png'}", read_base64(data)))
    except ProtocolError:
        return None  # it stays the text that came
