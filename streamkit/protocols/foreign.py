"""What another provider's model thought: left out, or told in words.

Its signed and encrypted form can be read by its origin alone, so elsewhere thinking is a text or nothing. Nothing is
the default: many providers drop even their own thinking of earlier turns, and a model that finds thinking in its
answers begins to write it there.
"""

from __future__ import annotations

from msgspec import structs

from streamkit.blocks import BlockRef, OpaquePart, ThinkingPart
from streamkit.errors import ConfigError
from streamkit.messages import Message
from streamkit.parts import FunctionPart, Part, TextPart
from streamkit.protocols.history import is_own
from streamkit.protocols.request import Request

__all__ = ["settle_thinking"]

# Around thinking that is told as text, so that a model does not take it for what was said.
_BEFORE, _AFTER = "<thinking>\n", "\n</thinking>\n\n"


def settle_thinking(request: Request, protocol: str) -> Request:
    """Return `request` with the thinking of other origins as `request.foreign_thinking` says.

    Only `text` needs anything done: encoders leave out what is not theirs. Raises `ConfigError` for another word.
    """
    if request.foreign_thinking == "drop":
        return request
    if request.foreign_thinking != "text":
        raise ConfigError(f"foreign_thinking must be drop or text, not {request.foreign_thinking!r}")
    told = [
        _told(message) if message.role == "assistant" and not is_own(message, protocol, request.provider) else message
        for message in request.messages
    ]
    return structs.replace(request, messages=told)


def _told(message: Message) -> Message:
    """The message with its thinking as texts in their places, and without what only its origin can read."""
    contents: list[Part] = []
    calls: list[FunctionPart] = []
    refs: list[BlockRef] = []
    for block in message.iter_blocks():
        part = block.part
        if isinstance(part, OpaquePart) or (isinstance(part, ThinkingPart) and not part.text.strip()):
            continue
        if isinstance(part, FunctionPart):
            refs.append(BlockRef("tool_calls", len(calls), extra=block.extra))
            calls.append(part)
            continue
        refs.append(BlockRef("contents", len(contents), extra=block.extra))
        contents.append(TextPart(_BEFORE + part.text + _AFTER) if isinstance(part, ThinkingPart) else part)
    return structs.replace(message, contents=contents, thinking=None, signature=None, blocks=refs)
