"""DeepSeek."""

from streamkit.protocols import Quirks
from streamkit.providers.base import Provider

PROVIDER = Provider(
    name="deepseek",
    protocol="openai-chat",
    base_url="https://api.deepseek.com",
    key_variable="DEEPSEEK_API_KEY",
    quirks=Quirks(max_tokens_field="max_tokens"),
)
