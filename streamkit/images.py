"""The images of a request that are addresses, and what was fetched in their places."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import structs

from streamkit.errors import ImageNotEmbedded
from streamkit.messages import Message
from streamkit.parts import EmbeddedImage, ImagePart, ImageUrl
from streamkit.protocols import Protocol, Quirks, Request

__all__ = ["embed_images", "images_to_embed"]


def images_to_embed(request: Request, protocol: Protocol, quirks: Quirks) -> list[str]:
    """Return the addresses of the images in a request that its provider takes by their bytes only, each once."""
    addresses = {
        part.image.url
        for message in request.messages
        for part in message.contents
        if isinstance(part, ImagePart) and isinstance(part.image, ImageUrl)
    }
    return sorted(url for url in addresses if not _takes(url, request, protocol, quirks))


def embed_images(request: Request, images: Mapping[str, EmbeddedImage]) -> Request:
    """Return `request` with `images` in the places of their addresses."""
    return structs.replace(request, messages=[_embedded(message, images) for message in request.messages])


def _takes(url: str, request: Request, protocol: Protocol, quirks: Quirks) -> bool:
    """Whether the provider takes an image by this address: its encoder knows."""
    alone = [Message("user", [ImagePart(ImageUrl(url))])]
    try:
        protocol.encode(Request(model=request.model, messages=alone, provider=request.provider), quirks)
    except ImageNotEmbedded:
        return False
    return True


def _embedded(message: Message, images: Mapping[str, EmbeddedImage]) -> Message:
    contents = [
        ImagePart(images[part.image.url])
        if isinstance(part, ImagePart) and isinstance(part.image, ImageUrl) and part.image.url in images
        else part
        for part in message.contents
    ]
    return structs.replace(message, contents=contents)
