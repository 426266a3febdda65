"""Images in Ollama's messages: base64 with neither a `data:` prefix nor a type."""

from __future__ import annotations

import binascii

from streamkit.errors import ConfigError, ProtocolError
from streamkit.parts import EmbeddedImage, FilePart, ImagePart
from streamkit.protocols.images import image_type, not_embedded
from streamkit.protocols.values import base64_text, split_data_url

__all__ = ["encode_file", "encode_image", "read_image"]

# What an image is taken for whose first bytes tell nothing.
_DEFAULT = "image/png"


def read_image(text: str) -> ImagePart:
    """Return an item of `images`, its type told by its first bytes; raises `ProtocolError` where it is no base64."""
    try:
        data = binascii.a2b_base64(text, strict_mode=True)
    except ValueError as error:
        raise ProtocolError(f"an image is not base64 ({error})") from None
    return ImagePart(EmbeddedImage(image_type(data) or _DEFAULT, data))


def encode_image(part: ImagePart) -> str:
    """Return an image as an item of `images`; raises `ImageNotEmbedded` for one that is only an address."""
    image = part.image
    if isinstance(image, EmbeddedImage):
        return base64_text(image.data)
    embedded = split_data_url(image.url)
    if embedded is None:
        raise not_embedded("Ollama", image.url)
    return embedded[1]


def encode_file(part: FilePart) -> str:
    """Return a file that is an image as an item of `images`; raises `ConfigError` for any other."""
    if part.data is None or not (part.mime_type or "").startswith("image/"):
        raise ConfigError("Ollama takes no files but images by their bytes; put what a file says into the text")
    return base64_text(part.data)
