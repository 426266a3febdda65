"""Google's Interactions API."""

from streamkit.protocols.base import Protocol
from streamkit.protocols.gemini_interactions.parser import InteractionsParser
from streamkit.protocols.gemini_interactions.request import encode_request, encode_resume

__all__ = ["PROTOCOL", "InteractionsParser"]

PROTOCOL = Protocol("gemini-interactions", InteractionsParser, encode_request, encode_resume)
