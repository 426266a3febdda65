"""The limits that keep a hostile or broken server from filling the memory."""

from __future__ import annotations

from msgspec import Struct

__all__ = ["Limits"]


class Limits(Struct, frozen=True, kw_only=True):
    """Sizes in bytes; going over one raises an error that names it: `ProtocolError`, for images `ImageFetchError`."""

    max_event_bytes: int = 32 << 20  # one frame of a stream, or a whole body that is no stream
    max_argument_bytes: int = 32 << 20  # the arguments of one tool call
    max_error_body_bytes: int = 64 << 10  # what is read of an error response
    max_image_bytes: int = 32 << 20  # all images that are fetched for one request
