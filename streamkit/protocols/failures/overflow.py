"""How each provider says that a conversation does not fit the model's window.

There is no common code, only texts (collected from the providers' pages and SDKs; checked 2026-11-29).
"""

from __future__ import annotations

import re

__all__ = ["says_overflow"]

# One row a provider, first who says it; several share a text. What may lie between two parts of a text is bounded,
# since in a long body the first part may stand any number of times.
_TEXTS = (
    r"maximum context length",  # OpenAI, Azure, DeepSeek, OpenRouter, vLLM, Mistral, Databricks
    r"exceeds the context window",  # OpenAI Responses
    r"input tokens exceed the configured limit",  # Azure
    r"prompt is too long|exceed context limit",  # Anthropic, Fireworks
    r"input is too long|too many input tokens|expected maxlength",  # Bedrock
    r"input token count.{0,200}exceeds the maximum number of tokens|request payload size exceeds",  # Gemini
    r"reduce the length of the messages",  # Groq
    r"too many tokens",  # Cohere
    r"maximum prompt length is",  # xAI
    r"longer than the maximum model length|context length is only",  # vLLM
    r"longer than the model's context length",  # Together, SGLang
    r"input length.{0,80}exceeds the maximum allowed length",  # SGLang
    r"`?inputs`? tokens \+ `?max_new_tokens`? must be",  # TGI
    r"exceeds the maximum length",  # Fireworks
    r"current length is.{0,200}while limit is",  # Cerebras
    r"exceeded the maximum context",  # Perplexity
    r"range of input length should be",  # DashScope
    r"exceeded model token limit",  # Moonshot
    r"context window exceeds limit",  # MiniMax
    r"prompt exceeds max length",  # Zhipu
    r"exceeds the limit of \d[\d,]*+(?! ?(?:[kmg]i?b|bytes|characters|images|pages|tools|requests)\b)",  # GitHub Models
    r"input text length should not exceed",  # Snowflake
    r"exceeds the available context size|context size has been exceeded",  # llama.cpp, before and in the stream
    r"exceeded max context length|(?:exceeds|longer than) the context length",  # Ollama
    r"greater than the context length|loaded with context length of only",  # LM Studio
    r"cannot exceed the total tokens limit",  # watsonx
    r"exceeded this model context window limit",  # Cloudflare
    r"contextwindowexceedederror",  # LiteLLM, in front of any
)
_SAYS = re.compile("|".join(_TEXTS), re.IGNORECASE | re.DOTALL)

# What has the same words and means something else: a rate limit ("Too many tokens, please wait", Bedrock; "tokens per
# minute", Groq), or one field that is too long.
_OTHERWISE = re.compile(
    r"rate limit|too many requests|throttl|please wait|per minute"
    r"|\b(?:name|description|url|metadata|key|id)\b[^.]{0,200}exceeds the maximum length",
    re.IGNORECASE,
)

# The words of `kinds.plain_word` that say it without a text: OpenAI, llama.cpp, GitHub Models, Anthropic, Zhipu,
# FastChat.
_WORDS = {"contextlengthexceeded", "exceedcontextsize", "tokenslimitreached", "requesttoolarge", "1261", "40303"}
_OTHER_WORDS = {"stringabovemaxlength"}

# The statuses with which it comes; 200 is inside a stream.
_STATUSES = {200, 400, 413, 422, 500}


def says_overflow(status: int, words: list[str], text: str, *, empty: bool, provider: str) -> bool:
    """Whether an error says that the conversation is too long for the model.

    `words` are its code and type as `plain_word` gives them, `text` all that it says in prose; `empty` means that
    there was no body, which is how Cerebras says it.
    """
    if status not in _STATUSES or not _OTHER_WORDS.isdisjoint(words) or _OTHERWISE.search(text):
        return False
    if empty:
        return provider == "cerebras" and status in (400, 413)
    return not _WORDS.isdisjoint(words) or _SAYS.search(text) is not None
