"""Gradio apps whose output is what a model says."""

from streamkit.protocols.base import Protocol
from streamkit.protocols.gradio.parser import GradioParser
from streamkit.protocols.gradio.request import encode_request

__all__ = ["PROTOCOL", "GradioParser"]

PROTOCOL = Protocol("gradio", GradioParser, encode_request)
