"""Images, sound and files → the blocks of Converse, which names each format by a word of its own.

Facts: https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ContentBlock.html and the pages of the
blocks in it, checked 2026-11-29.
"""

from __future__ import annotations

import re
from typing import Any

from streamkit.errors import ConfigError
from streamkit.parts import AudioPart, EmbeddedImage, FilePart, ImagePart
from streamkit.protocols.images import not_embedded
from streamkit.protocols.values import base64_text, split_data_url

__all__ = ["encode_audio", "encode_file", "encode_image"]

_IMAGES = {"image/png": "png", "image/jpeg": "jpeg", "image/jpg": "jpeg", "image/gif": "gif", "image/webp": "webp"}
_VIDEOS = {
    "video/mp4": "mp4",
    "video/quicktime": "mov",
    "video/webm": "webm",
    "video/x-matroska": "mkv",
    "video/mpeg": "mpeg",
    "video/x-flv": "flv",
    "video/x-ms-wmv": "wmv",
    "video/3gpp": "three_gp",
}
_DOCUMENTS = {
    "application/pdf": "pdf",
    "text/csv": "csv",
    "application/msword": "doc",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": "docx",
    "application/vnd.ms-excel": "xls",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": "xlsx",
    "text/html": "html",
    "text/plain": "txt",
    "text/markdown": "md",
}

_S3 = "s3://"

# What the name of a document may not hold; runs of white space are refused too.
_NOT_IN_NAMES = re.compile(r"[^A-Za-z0-9\-()\[\]]+")
_MAX_NAME = 200  # characters


def encode_image(part: ImagePart) -> dict[str, Any]:
    """Return the block of an image.

    Raises `ConfigError` for a format that the API does not take, `ImageNotEmbedded` for an address other than S3's.
    """
    image = part.image
    if isinstance(image, EmbeddedImage):
        return _image(image.mime_type, {"bytes": base64_text(image.data)})
    if embedded := split_data_url(image.url):
        return _image(embedded[0], {"bytes": embedded[1]})
    if not image.url.startswith(_S3):
        raise not_embedded("Bedrock", image.url, "an s3:// address")
    return _image(_type_of(image.url), _place(image.url))


def encode_audio(part: AudioPart) -> dict[str, Any]:
    """Return the block of sound, a text where there is only a transcript."""
    if part.data and part.format:
        return {"audio": {"format": part.format, "source": {"bytes": base64_text(part.data)}}}
    if part.transcript.strip():
        return {"text": part.transcript}
    raise ConfigError("sound for Bedrock needs its bytes and their format, such as `wav`, or a transcript")


def encode_file(part: FilePart) -> dict[str, Any]:
    """Return the block of a file: an image, a video or a document by its type; a document's name may not be unique.

    Raises `ConfigError` for a type that the API does not take, and for a file that is neither bytes nor on S3.
    """
    mime_type = part.mime_type or _guessed(part)
    if part.data is not None:
        source: dict[str, Any] = {"bytes": base64_text(part.data)}
    elif part.url is not None and (embedded := split_data_url(part.url)):
        mime_type, source = part.mime_type or embedded[0], {"bytes": embedded[1]}
    elif part.url is not None:
        source = _place(part.url)
    else:
        raise ConfigError("a file for Bedrock needs its bytes or an s3:// address; it knows no ids of files")
    if mime_type in _IMAGES:
        return _image(mime_type, source)
    if mime_type in _VIDEOS:
        return {"video": {"format": _VIDEOS[mime_type], "source": source}}
    if mime_type not in _DOCUMENTS:
        raise ConfigError(f"Bedrock takes no file of type {mime_type or 'unknown'}; documents are {_known()}")
    return {"document": {"format": _DOCUMENTS[mime_type], "name": _name(part.name), "source": source}}


def _image(mime_type: str, source: dict[str, Any]) -> dict[str, Any]:
    if mime_type not in _IMAGES:
        raise ConfigError(f"Bedrock takes images in PNG, JPEG, GIF or WebP, not {mime_type or 'of an unknown type'}")
    return {"image": {"format": _IMAGES[mime_type], "source": source}}


def _place(url: str) -> dict[str, Any]:
    if not url.startswith(_S3):
        raise ConfigError("Bedrock fetches a file from S3 only: give its bytes, or an s3:// address")
    return {"s3Location": {"uri": url}}


def _type_of(url: str) -> str:
    """The type of an image by the end of its address, which is all that is known of one on S3."""
    return f"image/{url.rpartition('.')[2].lower()}"


def _guessed(part: FilePart) -> str:
    if (part.data or b"").startswith(b"%PDF-"):
        return "application/pdf"
    end = (part.name or part.url or "").rpartition(".")[2].lower()
    return next((kind for kind, word in _DOCUMENTS.items() if word == end), "")


def _name(name: str | None) -> str:
    """The name without what is refused; its ending is said by the format."""
    stem = name.rpartition(".")[0] or name if name else ""
    return _NOT_IN_NAMES.sub(" ", stem).strip()[:_MAX_NAME] or "document"


def _known() -> str:
    return ", ".join(_DOCUMENTS.values())
