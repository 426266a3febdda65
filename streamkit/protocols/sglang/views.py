"""The fields of an SGLang server's records that are read.

Facts: `python/sglang/srt/managers/tokenizer_manager.py` of https://github.com/sgl-project/sglang, checked 2026-11-29.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from msgspec import Struct

from streamkit.messages import Finish, FinishReason
from streamkit.protocols.lenient import rejoin
from streamkit.protocols.openai_chat.finish import finish_word
from streamkit.usage import Usage

__all__ = ["Meta", "Record", "read_finish", "read_logprobs", "read_usage", "total"]

_TYPES: dict[str, Finish] = {"stop": "stop", "length": "length", "abort": "aborted"}


class Meta(Struct, gc=False):
    """What a record says about its choice; the counts and lists are those so far."""

    id: Any = None
    finish_reason: Any = None
    prompt_tokens: Any = None
    completion_tokens: Any = None
    cached_tokens: Any = None
    reasoning_tokens: Any = None
    output_token_logprobs: Any = None
    output_top_logprobs: Any = None


class Record(Struct, gc=False):
    """One record of the stream."""

    text: str | None = None
    index: Any = None
    meta_info: Meta | None = None
    error: Any = None


def read_finish(raw: Any) -> FinishReason | None:
    """Return why a choice ended, None while it has not; `reason` is the stop word, or why it was aborted."""
    word = finish_word(raw)
    if word is None:
        return None
    said = (raw.get("message") or raw.get("matched")) if isinstance(raw, dict) else None
    return FinishReason(_TYPES.get(word, "other"), word, reason=rejoin(said) if isinstance(said, str) else None)


def read_usage(meta: Meta) -> Usage:
    """Return the counts; `prompt_tokens` include what a cache held."""
    prompt, read = _count(meta.prompt_tokens), _count(meta.cached_tokens)
    fresh = prompt if prompt is None else max(prompt - (read or 0), 0)
    return Usage(fresh, _count(meta.completion_tokens), read, reasoning_tokens=_count(meta.reasoning_tokens))


def total(counts: Iterable[Usage]) -> Usage:
    """Return the counts of a response from those of its choices, which are answers to one prompt."""
    all_counts = list(counts)
    out = Usage()
    for each in all_counts:
        out = out.merge(each)
    if len(all_counts) < 2:
        return out
    output = [each.output_tokens for each in all_counts if each.output_tokens is not None]
    thought = [each.reasoning_tokens for each in all_counts if each.reasoning_tokens is not None]
    return Usage(
        out.input_tokens,
        sum(output) if output else None,
        out.cache_read_tokens,
        reasoning_tokens=sum(thought) if thought else None,
    )


def read_logprobs(meta: Meta, start: int) -> list[Any]:
    """Return the tokens from number `start` on, each with its logarithm, its number and, where told, its text."""
    tokens, tops = _list(meta.output_token_logprobs), _list(meta.output_top_logprobs)
    out = []
    for at in range(start, len(tokens)):
        token = _token(tokens[at])
        if at < len(tops) and isinstance(tops[at], list):
            token["top_logprobs"] = [_token(top) for top in tops[at]]
        out.append(token)
    return out


def _token(raw: Any) -> dict[str, Any]:
    """One of `[logarithm, number, text or null]`."""
    values = raw if isinstance(raw, list) else []
    return {
        name: value for name, value in zip(("logprob", "token_id", "token"), values, strict=False) if value is not None
    }


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _count(value: Any) -> int | None:
    return value if type(value) is int and value >= 0 else None
