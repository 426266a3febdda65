"""The texts and images of AgentCore's messages → parts, and back."""

from __future__ import annotations

from collections.abc import Iterable

from streamkit.interop.agentcore.messages import ImageContent, MessageContent, TextContent
from streamkit.interop.images import embedded, image_part
from streamkit.interop.losses import warn_left_out
from streamkit.parts import ImagePart, Part, TextPart
from streamkit.protocols.values import base64_text, part_text

__all__ = ["FORM", "contents_of", "parts_of"]

FORM = "AgentCore's form"


def contents_of(parts: Iterable[Part]) -> list[MessageContent]:
    """Return parts as texts and images."""
    out: list[MessageContent] = []
    for part in parts:
        text = part_text(part)
        if text is not None:
            out.append(TextContent(text))
        elif isinstance(part, ImagePart):
            image = embedded(part, FORM)
            out.append(ImageContent(base64_text(image.data), image.mime_type))
        else:
            warn_left_out(part, FORM)
    return out


def parts_of(contents: Iterable[MessageContent]) -> list[Part]:
    """Return texts and images as parts; raises `ConfigError` where an image is no base64."""
    return [
        TextPart(one.text) if isinstance(one, TextContent) else image_part(one.mime_type, one.data) for one in contents
    ]
