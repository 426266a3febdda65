"""Marks on a message for its provider: what of a prompt is worth keeping."""

from __future__ import annotations

from msgspec import structs

from streamkit.blocks import BlockRef
from streamkit.errors import ConfigError
from streamkit.messages import Message, MessageLike, as_message

__all__ = ["mark_cached"]


def mark_cached(message: MessageLike, ttl: str | None = None) -> Message:
    """Return the message, marked as the end of what the provider should cache of the prompt: all up to here.

    It goes to the providers that are told where to cache: Anthropic, Amazon Bedrock and OpenRouter, which take four
    marks a request; `ttl` is how long it is kept, in their word ("5m", "1h"). The others cache by themselves, and are
    told nothing. Raises `ConfigError` for an answer of the model and for a message without contents.
    """
    message = as_message(message)
    if message.role == "assistant" or not message.contents:
        raise ConfigError("a mark for the cache stands on a system, user or tool message that says something")
    refs = [
        BlockRef("contents", at, signature=block.signature, extra=block.extra)
        for at, block in enumerate(message.iter_blocks())
    ]
    mark = {"type": "ephemeral"} | ({"ttl": ttl} if ttl else {})
    refs[-1] = structs.replace(refs[-1], extra={**(refs[-1].extra or {}), "cache_control": mark})
    return structs.replace(message, blocks=refs)
