"""Hypothesis strategies for what models say; needs the `hypothesis` package.

Texts are full of what breaks readers of streams: line ends of every kind, characters of one to four bytes, what looks
like a frame or a tag, the empty string. Strategies cost more to make than to use, so each is made once.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from hypothesis import strategies as st

from streamkit.deltas import (
    AudioDelta,
    BlockAdded,
    CitationAdded,
    Delta,
    Logprobs,
    MessageEnd,
    MessageStart,
    RefusalDelta,
    RefusalEnd,
    RefusalStart,
    Replace,
    Retract,
    TextDelta,
    TextEnd,
    TextStart,
    ThinkingDelta,
    ThinkingEnd,
    ThinkingStart,
    ToolCallDelta,
    ToolCallEnd,
    ToolCallStart,
    UnknownFrame,
    UsageSnapshot,
)
from streamkit.messages import FinishReason
from streamkit.parts import ValuePart
from streamkit.testing.answers import Answer, Call, Refusal, Text, Thinking
from streamkit.testing.scripts import PLAIN
from streamkit.usage import Usage

__all__ = ["answers", "arguments", "delta_streams", "json_values", "texts", "usages"]

_TRICKY = [
    "\n",
    "\r",
    "\r\n\r\n",
    "\u2028",
    "\u2029",
    "\x85",
    "\x00",
    "\ufeff",
    "\ufffd",
    "😀",
    "👩\u200d👩\u200d👧",
    "e\u0301",
    "漢字",
    "ha",
    "haha",
    "data: {}",
    "\n\ndata: [DONE]\n\n",
    "[DONE]",
    ": ping",
    "event: error\n",
    "<think>",
    "</think>",
    '"',
    "\\",
    "\\u00e9",
    "{}",
    "null",
    " ",
]


@cache
def texts(min_size: int = 0) -> st.SearchStrategy[str]:
    """Texts of any characters, short, with at least `min_size` pieces."""
    pieces = st.sampled_from(_TRICKY) | st.text(max_size=5)
    return st.lists(pieces, min_size=min_size, max_size=5).map("".join).filter(lambda text: len(text) >= min_size)


@cache
def json_values() -> st.SearchStrategy[object]:
    """JSON values of any kind, small."""
    scalars = (
        st.none()
        | st.booleans()
        | st.integers(-(2**70), 2**70)
        | st.floats(allow_nan=False, allow_infinity=False)
        | texts()
    )
    return st.recursive(
        scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts(), inner, max_size=3), max_leaves=6
    )


@cache
def arguments() -> st.SearchStrategy[dict[str, object]]:
    """The arguments of a call."""
    return st.dictionaries(texts(), json_values(), max_size=3)


@cache
def usages() -> st.SearchStrategy[Usage]:
    """Token counts that say something, with and without cache and reasoning."""
    counts = st.integers(1, 10**6)
    optional = st.none() | counts
    return st.builds(Usage, counts, counts, optional, optional, optional)


# The dialects that sign thinking.
_SIGNED = {"openai-responses", "anthropic", "gemini", "gemini-interactions", "bedrock-converse"}
# The dialects without answers beside the first.
_SINGLE = {
    *("openai-responses", "anthropic", "gemini-interactions", "ollama", "cohere", "bedrock-converse"),
    *("tgi", "fastchat", "gradio"),
}


@cache
def answers(protocol: str = "openai-chat", *, choices: bool = True) -> st.SearchStrategy[Answer]:
    """Answers that can be scripted in `protocol`: text, thinking, calls and refusals in any order.

    With `choices`, some have n > 1 where the protocol has that.
    """
    signed, single = protocol in _SIGNED, protocol in _SINGLE
    names = st.sampled_from(["f", "get_weather", "search-2"])
    text = st.builds(Text, texts())
    thinking = st.builds(
        Thinking, texts(), st.none() | st.sampled_from(["c2ln", "Zg==", "+/+/"]) if signed else st.none()
    )
    call = st.builds(Call, names, arguments() | st.sampled_from(["", "{", "[1]", '{"a":1', "null"]))
    quiet = text if protocol in PLAIN else text | thinking  # what may come before a refusal or a cut
    spoken = st.lists(text if protocol in PLAIN else text | thinking | call, max_size=6)
    refused = st.lists(quiet, max_size=2).flatmap(
        lambda before: st.builds(Refusal, texts(1)).map(lambda refusal: [*before, refusal])
    )
    blocks = spoken | refused
    whole = st.builds(Answer, blocks, finish=st.none(), usage=st.none() | usages())
    cut_off = st.builds(Answer, st.lists(quiet, max_size=3), finish=st.just("length"), usage=usages())
    one = whole | cut_off
    if single or not choices:
        return one
    others = st.lists(st.builds(Answer, blocks, usage=st.none()), max_size=2)
    return one | st.builds(lambda first, more: _with(first, more), one, others)


def _with(answer: Answer, choices: list[Answer]) -> Answer:
    return Answer(answer.blocks, answer.finish, answer.raw_finish, answer.usage, answer.id, answer.model, choices)


_KINDS: list[tuple[Any, Any, Any]] = [
    (TextStart, TextDelta, TextEnd),
    (ThinkingStart, ThinkingDelta, ThinkingEnd),
    (RefusalStart, RefusalDelta, RefusalEnd),
    (ToolCallStart, ToolCallDelta, ToolCallEnd),
]


@st.composite
def _delta_streams(draw: st.DrawFn) -> list[Delta]:
    out: list[Delta] = []
    choices = draw(st.integers(1, 2))
    blocks: list[tuple[int, int, Any, Any]] = []
    for choice in range(choices):
        out.append(MessageStart(id="r", choice=choice))
        for index, (start, piece, end) in enumerate(draw(st.lists(st.sampled_from(_KINDS), min_size=1, max_size=3))):
            name = (f"c{index}", "f") if start is ToolCallStart else ()
            out.append(start(index, *name, choice=choice))
            blocks.append((choice, index, piece, end))
    for _ in range(draw(st.integers(0, 12))):
        choice, index, piece, _ = draw(st.sampled_from(blocks))
        out.append(draw(_one_delta(choice, index, piece)))
    out += [end(index, choice=choice) for choice, index, _, end in blocks]
    if choices == 1:
        last = len(blocks)
        out += [AudioDelta(last, b"\x01", "a"), AudioDelta(last, b"\x02", "b"), BlockAdded(last + 1, ValuePart([1]))]
    out += [MessageEnd(FinishReason("stop"), choice=choice) for choice in range(choices)]
    if draw(st.integers(0, 9)) == 0:
        out = [*out[: draw(st.integers(1, len(out)))], Retract("again"), *out]
    return out


@cache
def _one_delta(choice: int, index: int, piece: Any) -> st.SearchStrategy[Delta]:
    """One more delta of a block, or one that comes between; pieces of text are by far the most."""
    rare: list[st.SearchStrategy[Delta]] = [
        st.builds(Replace, st.just(index), texts(), choice=st.just(choice)),
        st.builds(UsageSnapshot, usages()),
        st.builds(UnknownFrame, texts()),
        texts().map(lambda text: Logprobs([{"token": text}], choice=choice)),
        texts().map(lambda text: Logprobs(None, [{"token": text}], choice=choice)),
    ]
    if piece is TextDelta:
        rare.append(texts().map(lambda text: CitationAdded(index, {"cited": text}, choice=choice)))
    pieces: st.SearchStrategy[Delta] = st.builds(piece, st.just(index), texts(), choice=st.just(choice))
    return st.integers(0, 2).flatmap(lambda sort: st.one_of(rare) if sort == 0 else pieces)


@cache
def delta_streams() -> st.SearchStrategy[list[Delta]]:
    """Deltas as a dialect might give them: blocks that overlap, choices that take turns, rare deltas in between."""
    return _delta_streams()
