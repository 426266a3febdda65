"""The stream of FastChat's workers: prompt in, text out."""

from streamkit.protocols.base import Protocol
from streamkit.protocols.fastchat.parser import FastChatParser
from streamkit.protocols.fastchat.request import encode_request

__all__ = ["PROTOCOL", "FastChatParser"]

PROTOCOL = Protocol("fastchat", FastChatParser, encode_request)
