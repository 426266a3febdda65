"""Images and sound in chunks of chat completions."""

from __future__ import annotations

import binascii
from typing import Any

from streamkit.errors import ProtocolError
from streamkit.parts import EmbeddedImage, ImagePart, ImageUrl, RawPart
from streamkit.protocols.values import split_data_url

__all__ = ["read_base64", "read_image"]


def read_image(raw: Any) -> ImagePart | RawPart:
    """Return an item of `images` or a content part of type `image_url` as an image.

    Its address is a URL, or a `data:` URL with the image itself. What has none comes back as it is.
    """
    where = raw.get("image_url") if isinstance(raw, dict) else None
    url = where.get("url") if isinstance(where, dict) else where
    if not isinstance(url, str) or not url:
        return RawPart(raw)
    embedded = split_data_url(url)
    if embedded is not None:
        return ImagePart(EmbeddedImage(embedded[0], read_base64(embedded[1])))
    detail = where.get("detail") if isinstance(where, dict) else None
    return ImagePart(ImageUrl(url, detail if isinstance(detail, str) else None))


def read_base64(text: str) -> bytes:
    """Return the bytes of a piece of base64 that was encoded by itself, its padding left out or not.

    Raises `ProtocolError` where it is none.
    """
    text = "".join(text.split())
    try:
        return binascii.a2b_base64(text.rstrip("=") + "=" * (-len(text.rstrip("=")) % 4), strict_mode=True)
    except (ValueError, binascii.Error) as error:
        raise ProtocolError(f"a piece of sound or an image is not base64 ({error})", frame=text[:1000]) from None
