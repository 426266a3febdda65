"""DeepSeek, its Anthropic-compatible endpoint.

https://api-docs.deepseek.com/guides/anthropic_api, checked 2026-11-30.
"""

from streamkit.protocols import Quirks
from streamkit.providers.base import Provider

PROVIDER = Provider(
    name="deepseek-anthropic",
    protocol="anthropic",
    base_url="https://api.deepseek.com/anthropic",
    key_variable="DEEPSEEK_API_KEY",
    auth="x-api-key",
    quirks=Quirks(unsigned_thinking=True),
)
