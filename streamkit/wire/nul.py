"""JSON objects that each end with a NUL byte ↔ frames (FastChat's workers; old vLLM demo servers)."""

from __future__ import annotations

from typing import ClassVar

from streamkit.wire.ndjson import NDJSONDecoder

__all__ = ["NulDecoder"]


class NulDecoder(NDJSONDecoder):
    """Objects that end with NUL, in any cut → frames; see `Decoder`, and `NDJSONDecoder` for all but the end.

    No JSON text holds that byte; line breaks may stand in one. An empty object between two NULs is a heartbeat.
    """

    separator: ClassVar[bytes] = b"\0"
