"""The fields of a chat completion chunk that are read.

Every chunk is decoded as `Chunk`; what only few have or what comes once is in views of its own, so that the others do
not pay for it. Fields are `Any` where servers differ on the type. Facts:
https://platform.openai.com/docs/api-reference/chat-streaming and the SDKs of those who speak the dialect, checked
2026-11-29.
"""

from __future__ import annotations

from typing import Any

from msgspec import Struct, field

__all__ = ["Choice", "Chunk", "Delta", "Function", "Head", "ToolFragment", "Whole", "WholeChoice"]


class Function(Struct, gc=False):
    """The name and arguments of a call, or pieces of them; `input` is a custom tool's."""

    name: Any = None
    arguments: Any = None
    input: Any = None


class ToolFragment(Struct, gc=False):
    """A call, or a piece of one."""

    index: Any = None
    id: Any = None
    type: Any = None
    function: Function | None = None
    custom: Function | None = None
    extra_content: Any = None  # Gemini: the call's signature


class Delta(Struct, gc=False):
    """What a chunk adds to a message; a `message` has the same fields."""

    content: Any = None  # text, or a list of parts
    reasoning_content: Any = None  # DeepSeek, Qwen, Kimi, Zhipu, xAI, llama.cpp, SGLang
    reasoning: Any = None  # vLLM, Groq, OpenRouter, Cerebras, Ollama
    reasoning_text: Any = None  # GitHub Copilot
    reasoning_details: Any = None  # OpenRouter, MiniMax
    reasoning_steps: Any = None  # Perplexity
    thinking_blocks: Any = None  # LiteLLM, in front of Anthropic
    refusal: Any = None
    tool_calls: list[ToolFragment | None] | None = None
    function_call: Function | None = None  # the legacy form of a call
    audio: Any = None
    images: Any = None  # OpenRouter
    annotations: Any = None
    executed_tools: Any = None  # Groq


class Choice(Struct, gc=False):
    """A piece of one of n answers."""

    index: Any = None
    delta: Delta | None = None
    logprobs: Any = None
    finish_reason: Any = None
    usage: Any = None  # Moonshot
    error: Any = None  # OpenRouter


class Chunk(Struct, gc=False):
    """One record of the stream."""

    choices: list[Choice | None] | None = None
    usage: Any = None
    error: Any = None
    x_groq: Any = None
    base_resp: Any = None  # MiniMax
    citations: Any = None  # Perplexity, xAI
    search_results: Any = None  # Perplexity


class Head(Struct):
    """What says of which response a chunk is."""

    id: Any = None
    model: Any = None


class WholeChoice(Struct):
    """What a choice has in place of a delta: the whole message, or the verdict of Azure's filter."""

    message: Delta | None = None
    content_filter_results: Any = None


class Whole(Struct):
    """A chunk with such choices."""

    choices: list[WholeChoice | None] = field(default_factory=list)
