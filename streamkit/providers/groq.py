"""Groq."""

from streamkit.protocols import Quirks
from streamkit.providers.base import Provider

PROVIDER = Provider(
    name="groq",
    protocol="openai-chat",
    base_url="https://api.groq.com/openai/v1",
    key_variable="GROQ_API_KEY",
    quirks=Quirks(max_tokens_field="max_tokens"),
)
