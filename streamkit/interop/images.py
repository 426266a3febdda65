"""Images in forms that hold their bytes as base64, and nothing else."""

from __future__ import annotations

import base64

from streamkit.errors import ConfigError, ImageNotEmbedded
from streamkit.parts import EmbeddedImage, ImagePart

__all__ = ["embedded", "image_part"]


def embedded(part: ImagePart, form: str) -> EmbeddedImage:
    """Return the bytes of an image; raises `ImageNotEmbedded` where it is an address, which `form` has no place for."""
    if not isinstance(part.image, EmbeddedImage):
        url = part.image.url
        raise ImageNotEmbedded(f"{form} takes images by their bytes only, not {url}: fetch_image embeds it", url=url)
    return part.image


def image_part(mime_type: str, text: str) -> ImagePart:
    """Return the image that a text in base64 is; raises `ConfigError` where it is none."""
    try:
        return ImagePart(EmbeddedImage(mime_type, base64.b64decode(text, validate=True)))
    except ValueError as error:  # `binascii.Error` is one, and text beyond ASCII another
        raise ConfigError(f"an image of type {mime_type} is no base64: {error}") from None
