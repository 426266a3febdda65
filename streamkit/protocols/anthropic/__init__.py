"""Anthropic's Messages."""

from streamkit.protocols.anthropic.parser import AnthropicParser
from streamkit.protocols.anthropic.request import encode_request
from streamkit.protocols.base import Protocol

__all__ = ["PROTOCOL", "AnthropicParser"]

PROTOCOL = Protocol("anthropic", AnthropicParser, encode_request)
