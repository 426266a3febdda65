"""Cohere's chat, version 2."""

from streamkit.protocols.base import Protocol
from streamkit.protocols.cohere.parser import CohereParser
from streamkit.protocols.cohere.request import encode_request

__all__ = ["PROTOCOL", "CohereParser"]

PROTOCOL = Protocol("cohere", CohereParser, encode_request)
