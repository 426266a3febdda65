"""The native generation of Hugging Face's Text Generation Inference: prompt in, text out."""

from streamkit.protocols.base import Protocol
from streamkit.protocols.tgi.parser import TGIParser
from streamkit.protocols.tgi.request import encode_request

__all__ = ["PROTOCOL", "TGIParser"]

PROTOCOL = Protocol("tgi", TGIParser, encode_request)
