"""The fields of a llama.cpp server's records that are read.

Facts: `tools/server/README.md` of https://github.com/ggml-org/llama.cpp and recordings of its builds b11434 and b11549
and of one of 2023, checked 2026-11-29. With `response_fields` any field may be missing.
"""

from __future__ import annotations

import math
from typing import Any

from msgspec import Struct

from streamkit.messages import Finish, FinishReason
from streamkit.protocols.lenient import rejoin
from streamkit.usage import Usage

__all__ = ["Last", "Record", "Timings", "read_finish", "read_probabilities", "read_usage"]

# `none` is what it says where it cannot tell; the second three are of builds until 2024, each a field that is true.
_TYPES: dict[str, Finish] = {
    "eos": "stop",
    "word": "stop",
    "limit": "length",
    "stopped_eos": "stop",
    "stopped_word": "stop",
    "stopped_limit": "length",
}
_FLAGS = ("stopped_eos", "stopped_word", "stopped_limit")
_CONTEXT_IS_FULL = "the context is full"

# What stands for the logarithm of nothing, which JSON has no word for.
_LEAST = -9999.0


class Record(Struct, gc=False):
    """One record of the stream."""

    index: Any = None
    content: str | None = None
    stop: Any = None
    stop_type: Any = None
    completion_probabilities: Any = None
    prompt_progress: Any = None
    error: Any = None


class Timings(Struct):
    """What took how long; only the number of tokens that a cache held is read."""

    cache_n: Any = None


class Last(Struct):
    """What the last record of a choice has."""

    stop_type: Any = None
    stopped_eos: Any = None
    stopped_word: Any = None
    stopped_limit: Any = None
    stopping_word: Any = None
    truncated: Any = None
    tokens_evaluated: Any = None
    tokens_predicted: Any = None
    timings: Timings | None = None


def read_finish(last: Last) -> FinishReason:
    """Return why a choice ended; `reason` is the stop word that it met, or that the context is full."""
    word = rejoin(last.stop_type) if isinstance(last.stop_type, str) else ""
    word = word or next((flag for flag in _FLAGS if getattr(last, flag) is True), "")
    if not word:
        return FinishReason("stop", synthesized=True)
    kind = _TYPES.get(word, "other")
    reason = rejoin(last.stopping_word) if isinstance(last.stopping_word, str) else ""
    if kind == "length" and last.truncated is True:
        reason = _CONTEXT_IS_FULL
    return FinishReason(kind, word, reason=reason or None)


def read_usage(last: Last) -> Usage:
    """Return the counts; `tokens_evaluated` is the whole prompt, of which `timings.cache_n` came from the cache.

    (`tokens_cached` is what the cache holds afterwards.)
    """
    prompt, output = _count(last.tokens_evaluated), _count(last.tokens_predicted)
    read = _count(last.timings.cache_n) if last.timings else None
    fresh = prompt if prompt is None else max(prompt - (read or 0), 0)
    return Usage(fresh, output, read)


def read_probabilities(raw: Any) -> list[Any]:
    """Return `completion_probabilities`, one entry a token, as logarithms.

    With `post_sampling_probs` they come as probabilities, under other names.
    """
    return [_logarithmic(item) for item in raw] if isinstance(raw, list) else []


def _logarithmic(item: Any) -> Any:
    if not isinstance(item, dict) or not ({"prob", "top_probs"} & item.keys()):
        return item
    out = {key: value for key, value in item.items() if key not in ("prob", "top_probs")}
    if "prob" in item:
        out["logprob"] = _log(item["prob"])
    if "top_probs" in item:
        out["top_logprobs"] = read_probabilities(item["top_probs"])
    return out


def _log(value: Any) -> float:
    known = isinstance(value, (int, float)) and not isinstance(value, bool) and 0 < value <= 1
    return math.log(value) if known else _LEAST


def _count(value: Any) -> int | None:
    return value if type(value) is int and value >= 0 else None
