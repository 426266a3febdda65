"""OpenAI's Responses."""

from streamkit.protocols.base import Protocol
from streamkit.protocols.openai_responses.parser import ResponsesParser
from streamkit.protocols.openai_responses.request import encode_request, encode_resume

__all__ = ["PROTOCOL", "ResponsesParser"]

PROTOCOL = Protocol("openai-responses", ResponsesParser, encode_request, encode_resume)
