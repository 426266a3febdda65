"""The texts and images of AgentCore's messages → parts, and back."""

from __future__ import annotations

import base64
from collections.abc import Iterable

from streamkit.errors import ConfigError, ImageNotEmbedded
from streamkit.interop.agentcore.messages import ImageContent, MessageContent, TextContent
from streamkit.interop.losses import warn_left_out
from streamkit.parts import EmbeddedImage, ImagePart, Part, TextPart
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
            out.append(_image(part))
        else:
            warn_left_out(part, FORM)
    return out


def parts_of(contents: Iterable[MessageContent]) -> list[Part]:
    """Return texts and images as parts; raises `ConfigError` where an image is no base64."""
    return [TextPart(one.text) if isinstance(one, TextContent) else _picture(one) for one in contents]


def _image(part: ImagePart) -> ImageContent:
    if not isinstance(part.image, EmbeddedImage):
        url = part.image.url
        raise ImageNotEmbedded(f"{FORM} takes images by their bytes only, not {url}: fetch_image embeds it", url=url)
    return ImageContent(base64_text(part.image.data), part.image.mime_type)


def _picture(content: ImageContent) -> ImagePart:
    try:
        return ImagePart(EmbeddedImage(content.mime_type, base64.b64decode(content.data, validate=True)))
    except ValueError as error:  # `binascii.Error` is one, and text beyond ASCII another
        raise ConfigError(f"an image of type {content.mime_type} is no base64: {error}") from None
