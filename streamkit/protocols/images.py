"""What dialects share about images: their types, and that some providers take none by its address."""

from __future__ import annotations

from streamkit.errors import ImageNotEmbedded

__all__ = ["image_type", "not_embedded"]

# The first bytes of each format that models take.
_STARTS = {
    b"\x89PNG\r\n\x1a\n": "image/png",
    b"\xff\xd8\xff": "image/jpeg",
    b"GIF87a": "image/gif",
    b"GIF89a": "image/gif",
}


def image_type(data: bytes) -> str | None:
    """Return the MIME type of an image by its first bytes: PNG, JPEG, GIF or WebP; None for anything else."""
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "image/webp"
    return next((kind for start, kind in _STARTS.items() if data.startswith(start)), None)


def not_embedded(who: str, url: str, otherwise: str = "") -> ImageNotEmbedded:
    """Return the error for an image that is only an address, which `who` does not take.

    `otherwise` says what else the provider takes. The address is no part of the message: it may be a signed one.
    """
    return ImageNotEmbedded(
        f"{who} takes an image by its bytes, not by its address: give EmbeddedImage(mime_type, data)"
        f"{otherwise and f', or {otherwise}'}; fetch_images=True has it fetched",
        url=url,
    )
