"""vLLM's demonstration server: prompt in, prompt and text out."""

from streamkit.protocols.base import Protocol
from streamkit.protocols.vllm_generate.parser import VLLMGenerateParser
from streamkit.protocols.vllm_generate.request import encode_request

__all__ = ["PROTOCOL", "VLLMGenerateParser"]

PROTOCOL = Protocol("vllm-generate", VLLMGenerateParser, encode_request)
