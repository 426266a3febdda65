"""Bytes ↔ frames: the framings that providers use, with no knowledge of what the frames say."""

from streamkit.wire.frames import Decoder, Frame, Framing, new_decoder

__all__ = ["Decoder", "Frame", "Framing", "new_decoder"]
