"""Bytes ↔ frames: the framings that providers use, with no knowledge of what the frames say."""

from streamkit.wire.frames import Decoder, Frame
from streamkit.wire.framings import FRAMINGS, new_decoder

__all__ = ["FRAMINGS", "Decoder", "Frame", "new_decoder"]
