"""DashScope's own API."""

from streamkit.protocols.base import Protocol
from streamkit.protocols.dashscope.parser import DashScopeParser
from streamkit.protocols.dashscope.request import encode_request

__all__ = ["PROTOCOL", "DashScopeParser"]

PROTOCOL = Protocol("dashscope", DashScopeParser, encode_request)
