"""A vLLM server."""

from streamkit.protocols import Quirks
from streamkit.providers.base import Provider

PROVIDER = Provider(
    name="vllm",
    protocol="openai-chat",
    base_url="http://localhost:8000/v1",
    key_variable="VLLM_API_KEY",
    key_optional=True,
    quirks=Quirks(max_tokens_field="max_tokens"),
)
