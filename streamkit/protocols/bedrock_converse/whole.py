"""The content of an answer of Converse that was not streamed, one block at a time."""

from __future__ import annotations

from typing import Any

import msgspec

from streamkit.deltas import Delta
from streamkit.parts import RawPart
from streamkit.protocols.bedrock_converse.blocks import Blocks
from streamkit.protocols.values import scrub

__all__ = ["read_block"]


def read_block(blocks: Blocks, key: int, block: dict[str, Any], out: list[Delta]) -> None:
    """Append the deltas of the block with the number `key`; one of an unknown kind is a part as it came.

    Raises `msgspec.ValidationError` for a known kind in a broken shape.
    """
    reasoning, cited = block.get("reasoningContent"), block.get("citationsContent")
    if isinstance(reasoning, dict):
        inner = reasoning.get("reasoningText")
        said = {**inner, **reasoning} if isinstance(inner, dict) else reasoning
        known = blocks.delta(key, {"reasoningContent": said}, out)
    elif isinstance(cited, dict):
        known = _read_cited(blocks, key, cited, out)
    elif "text" in block:
        known = blocks.delta(key, {"text": block["text"]}, out)
    else:
        known = bool(block) and blocks.start(key, block, out)
    blocks.stop(key, out)
    if not known:
        blocks.writer.add(out, RawPart(scrub(block)))


def _read_cited(blocks: Blocks, key: int, cited: dict[str, Any], out: list[Delta]) -> bool:
    for piece in msgspec.convert(cited.get("content") or [], list[dict[str, Any]]):
        blocks.delta(key, piece, out)
    for citation in msgspec.convert(cited.get("citations") or [], list[Any]):
        blocks.delta(key, {"citation": citation}, out)
    return True
