"""OpenAI's legacy completions, for base models: prompt in, text out."""

from streamkit.protocols.base import Protocol
from streamkit.protocols.openai_completions.parser import CompletionsParser
from streamkit.protocols.openai_completions.request import encode_request

__all__ = ["PROTOCOL", "CompletionsParser"]

PROTOCOL = Protocol("openai-completions", CompletionsParser, encode_request)
