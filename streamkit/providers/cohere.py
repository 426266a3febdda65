"""Cohere, its chat of version 2; https://docs.cohere.com/v2/reference/chat, checked 2026-11-29."""

from streamkit.protocols import Quirks
from streamkit.providers.base import Provider

PROVIDER = Provider(
    name="cohere",
    protocol="cohere",
    base_url="https://api.cohere.com",
    key_variable="CO_API_KEY",
    env_base_url="CO_API_URL",
    quirks=Quirks(plan_as_thinking=True),
)
