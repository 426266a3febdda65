"""Gemini's `streamGenerateContent`."""

from streamkit.protocols.base import Protocol
from streamkit.protocols.gemini.parser import GeminiParser
from streamkit.protocols.gemini.request import encode_request

__all__ = ["PROTOCOL", "GeminiParser"]

PROTOCOL = Protocol("gemini", GeminiParser, encode_request)
