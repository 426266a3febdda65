"""xAI."""

from streamkit.protocols import Quirks
from streamkit.providers.base import Provider

PROVIDER = Provider(
    name="xai",
    protocol="openai-chat",
    base_url="https://api.x.ai/v1",
    key_variable="XAI_API_KEY",
    quirks=Quirks(max_tokens_field="max_tokens"),
)
