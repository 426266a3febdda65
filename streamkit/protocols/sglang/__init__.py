"""The native generation of an SGLang server: prompt in, text out."""

from streamkit.protocols.base import Protocol
from streamkit.protocols.sglang.parser import SGLangParser
from streamkit.protocols.sglang.request import encode_request

__all__ = ["PROTOCOL", "SGLangParser"]

PROTOCOL = Protocol("sglang", SGLangParser, encode_request)
