"""Moonshot, its Anthropic-compatible endpoint; https://platform.kimi.ai/docs, checked 2026-11-30."""

from streamkit.protocols import Quirks
from streamkit.providers.base import Provider

PROVIDER = Provider(
    name="moonshot-anthropic",
    protocol="anthropic",
    base_url="https://api.moonshot.ai/anthropic",
    key_variable="MOONSHOT_API_KEY",
    quirks=Quirks(unsigned_thinking=True),
)
