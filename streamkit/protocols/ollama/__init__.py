"""Ollama's own API."""

from streamkit.protocols.base import Protocol
from streamkit.protocols.ollama.parser import OllamaParser
from streamkit.protocols.ollama.request import encode_request

__all__ = ["PROTOCOL", "OllamaParser"]

PROTOCOL = Protocol("ollama", OllamaParser, encode_request)
