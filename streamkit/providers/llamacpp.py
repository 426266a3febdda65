"""A llama.cpp server."""

from streamkit.protocols import Quirks
from streamkit.providers.base import Provider

PROVIDER = Provider(
    name="llamacpp",
    protocol="openai-chat",
    base_url="http://localhost:8080/v1",
    key_variable="LLAMA_API_KEY",
    key_optional=True,
    quirks=Quirks(max_tokens_field="max_tokens"),
)
