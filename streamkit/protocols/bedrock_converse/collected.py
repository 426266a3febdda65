"""Blocks of an answer that go out whole: the calls and results of tools that the provider runs, and images."""

from __future__ import annotations

from typing import Any

import msgspec

from streamkit.errors import ProtocolError
from streamkit.limits import Limits
from streamkit.parts import EmbeddedImage, FilePart, ImagePart, Part, RawPart, ServerToolPart
from streamkit.protocols.lenient import decode_lenient, decode_value, rejoin
from streamkit.protocols.openai_chat.media import read_base64
from streamkit.protocols.values import scrub

__all__ = ["Collected"]


class Collected:
    """One such block: how it began, and what its deltas add; `names` maps the id of each call to the tool's name."""

    def __init__(self, kind: str, begun: dict[str, Any], limits: Limits, names: dict[str, str]) -> None:
        self.kind = kind
        self._begun = scrub(begun)
        self._limits = limits
        self._names = names
        self._size = 0
        self._input: list[str] = []
        self._content: list[Any] = []
        self._image: dict[str, Any] = {}
        self._pieces: list[str] = []
        if kind == "toolUse":
            names[_text(self._begun, "toolUseId")] = _text(self._begun, "name")

    def take(self, kind: str, piece: Any) -> None:
        """Add what a delta of this kind says.

        Raises `ProtocolError` over the limit of a call's arguments, for an image over that of an event.
        """
        if kind != self.kind:
            raise msgspec.ValidationError(f"`{kind}` came for a block of `{self.kind}`")
        if kind == "toolUse":
            self._grow(len(piece.encode("utf-8", "surrogatepass")), "max_argument_bytes")
            self._input.append(piece)
        elif kind == "toolResult":
            if not isinstance(piece, list):
                raise msgspec.ValidationError("`toolResult` is not a list")
            self._content += scrub(piece)
        elif not isinstance(piece, dict):
            raise msgspec.ValidationError("`image` is not an object")
        else:
            self._take_image(scrub(piece))

    def part(self) -> Part:
        """Return the part that the block is."""
        if self.kind == "image":
            return self._image_part()
        id = _text(self._begun, "toolUseId")
        if self.kind == "toolUse":
            given = self._given()
            raw = self._begun | ({"input": given} if given is not None else {"input": self._begun.get("input", {})})
            return ServerToolPart("call", id, self._names[id], {"toolUse": raw})
        name = self._names.get(id) or _text(self._begun, "type").removesuffix("_result")
        content = [*(self._begun.get("content") or []), *self._content]
        return ServerToolPart("result", id, name, {"toolResult": self._begun | {"content": content}})

    def _given(self) -> Any:
        """The input of a call; the text itself where it is no JSON."""
        text = rejoin("".join(self._input))
        if not text.strip():
            return None
        try:
            return decode_value(text)
        except (msgspec.DecodeError, RecursionError):
            try:
                return scrub(decode_lenient(text.encode(), object))
            except (ProtocolError, RecursionError):
                return text

    def _take_image(self, piece: dict[str, Any]) -> None:
        source = piece.get("source")
        data = source.get("bytes") if isinstance(source, dict) else None
        if isinstance(data, str):
            self._grow(len(data), "max_event_bytes")
            self._pieces.append(data)
        else:
            self._image |= piece

    def _image_part(self) -> Part:
        format = _text(self._begun, "format")
        mime_type = f"image/{format}" if format else None
        source = self._image.get("source") or self._begun.get("source")
        given = source if isinstance(source, dict) else {}
        pieces = [*([given["bytes"]] if isinstance(given.get("bytes"), str) else []), *self._pieces]
        if pieces and not self._image.get("error"):
            data = b"".join(read_base64(piece) for piece in pieces)
            return ImagePart(EmbeddedImage(mime_type or "image/png", data))
        place = given.get("s3Location")
        if isinstance(place, dict) and isinstance(place.get("uri"), str):
            return FilePart(mime_type, url=place["uri"])
        return RawPart({"image": self._begun | self._image})

    def _grow(self, size: int, limit: str) -> None:
        self._size += size
        most = getattr(self._limits, limit)
        if self._size > most:
            raise ProtocolError(f"a block of `{self.kind}` is longer than {limit} ({most})")


def _text(value: dict[str, Any], field: str) -> str:
    found = value.get(field)
    return found if isinstance(found, str) else ""
