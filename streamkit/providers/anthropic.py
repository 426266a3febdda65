"""Anthropic, its Messages API."""

from streamkit.providers.base import Provider

PROVIDER = Provider(
    name="anthropic",
    protocol="anthropic",
    base_url="https://api.anthropic.com",
    key_variable="ANTHROPIC_API_KEY",
    env_base_url="ANTHROPIC_BASE_URL",
    auth="x-api-key",
)
