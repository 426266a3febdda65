"""Ollama, its OpenAI-compatible endpoint."""

from streamkit.protocols import Quirks
from streamkit.providers.base import Provider

PROVIDER = Provider(
    name="ollama",
    protocol="openai-chat",
    base_url="http://localhost:11434/v1",
    key_variable="OLLAMA_API_KEY",
    key_optional=True,
    quirks=Quirks(max_tokens_field="max_tokens"),
)
