"""Dialects: frames → deltas, and a request → the body that the provider takes. One module a dialect."""

from __future__ import annotations

from importlib import import_module

from streamkit.errors import ConfigError
from streamkit.protocols.base import Parser, Protocol
from streamkit.protocols.quirks import Quirks
from streamkit.protocols.request import EncodedRequest, Request, ToolSpec

__all__ = ["PROTOCOLS", "EncodedRequest", "Parser", "Protocol", "Quirks", "Request", "ToolSpec", "get_protocol"]

# The name of each dialect and the module that has it as PROTOCOL, loaded on first use.
PROTOCOLS = {
    "openai-chat": "openai_chat",
    "openai-responses": "openai_responses",
    "anthropic": "anthropic",
    "gemini": "gemini",
    "gemini-interactions": "gemini_interactions",
    "ollama": "ollama",
    "llamacpp": "llamacpp",
    "openai-completions": "openai_completions",
    "cohere": "cohere",
    "bedrock-converse": "bedrock_converse",
    "dashscope": "dashscope",
    "sglang": "sglang",
    "tgi": "tgi",
    "fastchat": "fastchat",
    "vllm-generate": "vllm_generate",
    "gradio": "gradio",
}


def get_protocol(name: str) -> Protocol:
    """Return the dialect `name`; raises `ConfigError` where there is none of that name."""
    if name not in PROTOCOLS:
        raise ConfigError(f"unknown protocol {name!r}; known are {', '.join(PROTOCOLS)}")
    protocol: Protocol = import_module(f"streamkit.protocols.{PROTOCOLS[name]}").PROTOCOL
    return protocol
