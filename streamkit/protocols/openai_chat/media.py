"""Images and sound in chunks of chat completions."""

from __future__ import annotations

import binascii
from contextlib import suppress
from typing import Any

from streamkit.errors import ProtocolError
from streamkit.parts import EmbeddedImage, ImagePart, ImageUrl, RawPart
from streamkit.protocols.values import split_data_url

__all__ = ["read_base64", "read_image"]


def read_image(raw: Any) -> ImagePart | RawPart:
    """Return an item of `images` or a content part of type `image_url` as an image.

    Its address is a URL, or a `data:` URL with the image itself, which stays one where it cannot be decoded. What has
    no address comes back as it is.
    """
    where = raw.get("image_url") if isinstance(raw, dict) else None
    url = where.get("url") if isinstance(where, dict) else where
    if not isinstance(url, str) or not url:
        return RawPart(raw)
    embedded = split_data_url(url)
    if embedded is not None:
        with suppress(ProtocolError):  # it stays an address
            return ImagePart(EmbeddedImage(embedded[0], read_base64(embedded[1])))
    detail = where.get("detail") if isinstance(where, dict) else None
    return ImagePart(ImageUrl(url, detail if isinstance(detail, str) else None))


def read_base64(text: str) -> bytes:
    """Return the bytes of a piece of base64 that was encoded by itself, its padding left out or not.

    Raises `ProtocolError` where it is none.
    """
    text = text.strip().rstrip("=")
    try:
        return binascii.a2b_base64(text + "=" * (-len(text) % 4), strict_mode=True)
    except ValueError as error:
        raise ProtocolError(f"a piece of sound or an image is not base64 ({error})", frame=text[:1000]) from None
