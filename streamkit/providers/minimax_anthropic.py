"""MiniMax, its Anthropic-compatible endpoint.

https://platform.minimax.io/docs/api-reference/text-anthropic-api, checked 2026-11-30.
"""

from streamkit.protocols import Quirks
from streamkit.providers.base import Provider

PROVIDER = Provider(
    name="minimax-anthropic",
    protocol="anthropic",
    base_url="https://api.minimax.io/anthropic",
    key_variable="MINIMAX_API_KEY",
    auth="x-api-key",
    quirks=Quirks(unsigned_thinking=True),
)
