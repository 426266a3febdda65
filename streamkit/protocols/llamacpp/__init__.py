"""The native completion of a llama.cpp server: prompt in, text out."""

from streamkit.protocols.base import Protocol
from streamkit.protocols.llamacpp.parser import LlamaCppParser
from streamkit.protocols.llamacpp.request import encode_request

__all__ = ["PROTOCOL", "LlamaCppParser"]

PROTOCOL = Protocol("llamacpp", LlamaCppParser, encode_request)
