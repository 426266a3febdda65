"""The fields of a TGI server's records that are read.

Facts: `router/src/lib.rs` and `docs/openapi.json` of https://github.com/huggingface/text-generation-inference, checked
2026-11-30.
"""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from streamkit.usage import Usage

__all__ = ["Details", "Record", "Token", "read_token", "read_usage"]


class Token(Struct, gc=False):
    """A token; of a special one (an end of text, say) the text is none of the answer's."""

    text: str | None = None
    special: bool | None = None
    id: Any = None
    logprob: Any = None


class Details(Struct, gc=False):
    """Why the answer ended, and the counts."""

    finish_reason: Any = None
    generated_tokens: Any = None
    input_length: Any = None


class Record(Struct, gc=False):
    """One record of the stream; `generated_text` is the whole answer and in the last one alone."""

    token: Token | None = None
    generated_text: str | None = None
    details: Details | None = None
    top_tokens: Any = None
    error: Any = None


def read_usage(details: Details) -> Usage:
    """Return the counts."""
    return Usage(_count(details.input_length), _count(details.generated_tokens))


def read_token(token: Token, tops: list[Any]) -> dict[str, Any]:
    """Return the log probability of a token with its likeliest alternatives."""
    return {**_token(token.text, token.id, token.logprob), "top_logprobs": [_alternative(top) for top in tops]}


def _alternative(top: Any) -> Any:
    return _token(top.get("text"), top.get("id"), top.get("logprob")) if isinstance(top, dict) else top


def _token(text: Any, id: Any, logprob: Any) -> dict[str, Any]:
    named = {"logprob": logprob, "token_id": id, "token": text}
    return {name: value for name, value in named.items() if value is not None}


def _count(value: Any) -> int | None:
    return value if type(value) is int and value >= 0 else None
