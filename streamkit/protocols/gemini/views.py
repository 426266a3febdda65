"""The fields of a Gemini chunk that are read.

Every chunk is decoded as `Chunk`; parts that are no text are read from the chunk as plain data, so that text does not
pay for them. Facts: https://ai.google.dev/api/generate-content and the types of `google-genai` 3.6.1, checked
2026-11-29.
"""

from __future__ import annotations

from typing import Any

from msgspec import Struct, field

__all__ = ["Candidate", "Chunk", "Content", "Counts", "Head", "Part"]


class Part(Struct, gc=False, rename="camel"):
    """A part; one without `text` is of another kind."""

    text: str | None = None
    thought: Any = None
    thought_signature: Any = None


class Content(Struct, gc=False):
    """What a chunk adds to an answer."""

    parts: list[Part | None] | None = None


class Candidate(Struct, gc=False, rename="camel"):
    """A piece of one of n answers. An `index` of 0 may be left out."""

    content: Content | None = None
    index: int | None = None
    finish_reason: Any = None  # a word, or its number from servers that write enumerations so
    finish_message: Any = None
    grounding_metadata: Any = None
    citation_metadata: Any = None
    url_context_metadata: Any = None
    logprobs_result: Any = None


class Counts(Struct, gc=False, rename="camel"):
    """Token counts so far, each None where it is not reported."""

    prompt_token_count: Any = None  # with what came from a cache, without what server tools add
    cached_content_token_count: Any = None
    candidates_token_count: Any = None  # without thoughts
    thoughts_token_count: Any = None
    tool_use_prompt_token_count: Any = None
    total_token_count: Any = None  # of all but the cached, which are part of the prompt


class Chunk(Struct, gc=False, rename="camel"):
    """One record of the stream."""

    candidates: list[Candidate | None] | None = None
    usage_metadata: Counts | None = None
    prompt_feedback: Any = None
    error: Any = None


class Head(Struct):
    """What says of which response a chunk is."""

    id: Any = field(default=None, name="responseId")
    model: Any = field(default=None, name="modelVersion")
