"""OpenRouter."""

from streamkit.protocols import Quirks
from streamkit.providers.base import Provider

PROVIDER = Provider(
    name="openrouter",
    protocol="openai-chat",
    base_url="https://openrouter.ai/api/v1",
    key_variable="OPENROUTER_API_KEY",
    quirks=Quirks(max_tokens_field="max_tokens"),
)
