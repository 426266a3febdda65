"""Z.ai, its Anthropic-compatible endpoint.

https://docs.z.ai/scenario-example/develop-tools/claude, checked 2026-11-30.
"""

from streamkit.protocols import Quirks
from streamkit.providers.base import Provider

PROVIDER = Provider(
    name="zai-anthropic",
    protocol="anthropic",
    base_url="https://api.z.ai/api/anthropic",
    key_variable="ZAI_API_KEY",
    quirks=Quirks(unsigned_thinking=True),
)
