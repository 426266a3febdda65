"""Amazon Bedrock's ConverseStream."""

from streamkit.protocols.base import Protocol
from streamkit.protocols.bedrock_converse.parser import BedrockConverseParser
from streamkit.protocols.bedrock_converse.request import encode_request

__all__ = ["PROTOCOL", "BedrockConverseParser"]

PROTOCOL = Protocol("bedrock-converse", BedrockConverseParser, encode_request)
