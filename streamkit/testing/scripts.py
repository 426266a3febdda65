"""Scripted answers rendered as the bodies of real responses.

answer = Answer([Thinking("Let me look."), "It is ", Call("weather", {"city": "Oslo"})])
body = render(answer, "anthropic", piece=3)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from msgspec import Struct

from streamkit.errors import ConfigError
from streamkit.testing import (
    anthropic_body,
    bedrock_anthropic_body,
    bedrock_body,
    cohere_body,
    dashscope_body,
    fastchat_body,
    gemini_body,
    gemini_interactions_body,
    gradio_body,
    llamacpp_body,
    ollama_body,
    openai_chat_body,
    openai_completions_body,
    openai_responses_body,
    sglang_body,
    tgi_body,
    vllm_generate_body,
)
from streamkit.testing.answers import Answer, Block, Call, Refusal, Text, Thinking

__all__ = [
    "PLAIN",
    "RENDERED",
    "SCRIPTED",
    "WRAPPED",
    "Answer",
    "Call",
    "Refusal",
    "Text",
    "Thinking",
    "dialect_of",
    "framing_of",
    "render",
    "render_error",
]


class _Dialect(Struct, frozen=True):
    render: Callable[[Answer, int, bool], list[bytes]]
    error_frame: Callable[[str, str], bytes]
    finish_words: dict[str, str]
    heard: Callable[[Answer], Answer] = lambda answer: answer  # what of an answer can be said
    framing: str = "sse"
    extras: Callable[[list[Block]], list[dict[str, Any]]] | None = None  # what each block ends with
    reasons: dict[str, str] = {}  # why it ended, beside the word for it


# The dialects in which an answer can be rendered.
SCRIPTED = {
    "openai-chat": _Dialect(openai_chat_body.render, openai_chat_body.error_frame, openai_chat_body.FINISH_WORDS),
    "openai-responses": _Dialect(
        openai_responses_body.render,
        openai_responses_body.error_frame,
        openai_responses_body.FINISH_WORDS,
        extras=openai_responses_body.extras,
        reasons=openai_responses_body.REASONS,
    ),
    "anthropic": _Dialect(anthropic_body.render, anthropic_body.error_frame, anthropic_body.FINISH_WORDS),
    "gemini": _Dialect(gemini_body.render, gemini_body.error_frame, gemini_body.FINISH_WORDS, gemini_body.heard),
    "gemini-interactions": _Dialect(
        gemini_interactions_body.render,
        gemini_interactions_body.error_frame,
        gemini_interactions_body.FINISH_WORDS,
        gemini_interactions_body.heard,
    ),
    "cohere": _Dialect(cohere_body.render, cohere_body.error_frame, cohere_body.FINISH_WORDS, cohere_body.heard),
    "bedrock-converse": _Dialect(
        bedrock_body.render,
        bedrock_body.error_frame,
        bedrock_body.FINISH_WORDS,
        bedrock_body.heard,
        "aws-eventstream",
    ),
    "dashscope": _Dialect(
        dashscope_body.render, dashscope_body.error_frame, dashscope_body.FINISH_WORDS, dashscope_body.heard
    ),
    "ollama": _Dialect(
        ollama_body.render, ollama_body.error_frame, ollama_body.FINISH_WORDS, ollama_body.heard, "ndjson"
    ),
}

# Those of base models, in which only answers of text can be.
PLAIN = {
    "llamacpp": _Dialect(
        llamacpp_body.render, llamacpp_body.error_frame, llamacpp_body.FINISH_WORDS, llamacpp_body.heard
    ),
    "openai-completions": _Dialect(
        openai_completions_body.render,
        openai_completions_body.error_frame,
        openai_completions_body.FINISH_WORDS,
        openai_completions_body.heard,
    ),
    "sglang": _Dialect(sglang_body.render, sglang_body.error_frame, sglang_body.FINISH_WORDS, sglang_body.heard),
    "tgi": _Dialect(tgi_body.render, tgi_body.error_frame, tgi_body.FINISH_WORDS, tgi_body.heard),
    "fastchat": _Dialect(
        fastchat_body.render, fastchat_body.error_frame, fastchat_body.FINISH_WORDS, fastchat_body.heard, "nul"
    ),
    "vllm-generate": _Dialect(
        vllm_generate_body.render,
        vllm_generate_body.error_frame,
        vllm_generate_body.FINISH_WORDS,
        vllm_generate_body.heard,
        "ndjson",
    ),
    "gradio": _Dialect(gradio_body.render, gradio_body.error_frame, gradio_body.FINISH_WORDS, gradio_body.heard),
}

RENDERED = SCRIPTED | PLAIN

# A vendor's way to stream one of these dialects, by the name of its row.
WRAPPED = {
    "bedrock-anthropic": _Dialect(
        bedrock_anthropic_body.render,
        bedrock_anthropic_body.error_frame,
        bedrock_anthropic_body.FINISH_WORDS,
        framing="aws-eventstream",
    ),
}


def render(answer: Answer, protocol: str = "openai-chat", *, piece: int = 4, interleave: bool = False) -> bytes:
    """Return the body of a streamed response that says `answer`.

    Text, thinking and arguments come in deltas of `piece` characters. With `interleave`, the fragments of
    neighbouring calls take turns, as from servers that write calls in parallel. `protocol` is one of `RENDERED`, or
    of `WRAPPED`; raises `ConfigError` for another, and for what the protocol cannot say.
    """
    return b"".join(dialect_of(protocol).render(answer, piece, interleave))


def render_error(protocol: str = "openai-chat", message: str = "Overloaded", type: str = "overloaded_error") -> bytes:
    """Return the frame by which a provider reports an error inside a stream that has begun."""
    return dialect_of(protocol).error_frame(message, type)


def framing_of(protocol: str) -> str:
    """Return the framing of bodies in `protocol`, as `mutations` and parsers take it."""
    return dialect_of(protocol).framing


def dialect_of(protocol: str) -> _Dialect:
    """Return how answers are scripted in `protocol`; raises `ConfigError` where they cannot be."""
    known = RENDERED | WRAPPED
    if protocol not in known:
        raise ConfigError(f"answers can be scripted for {', '.join(known)}, not for {protocol!r}")
    return known[protocol]
