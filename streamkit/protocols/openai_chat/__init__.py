"""OpenAI's chat completions, the dialect that most servers speak."""

from streamkit.protocols.base import Protocol
from streamkit.protocols.openai_chat.parser import ChatParser
from streamkit.protocols.openai_chat.request import encode_request

__all__ = ["PROTOCOL", "ChatParser"]

PROTOCOL = Protocol("openai-chat", ChatParser, encode_request)
