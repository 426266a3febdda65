"""Mistral."""

from streamkit.protocols import Quirks
from streamkit.providers.base import Provider

PROVIDER = Provider(
    name="mistral",
    protocol="openai-chat",
    base_url="https://api.mistral.ai/v1",
    key_variable="MISTRAL_API_KEY",
    quirks=Quirks(max_tokens_field="max_tokens"),
)
