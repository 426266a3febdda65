"""Nebius; https://docs.tokenfactory.nebius.com, checked 2026-11-30."""

from streamkit.protocols import Quirks
from streamkit.providers.base import Provider

PROVIDER = Provider(
    name="nebius",
    protocol="openai-chat",
    base_url="https://api.tokenfactory.nebius.com/v1",
    key_variable="NEBIUS_API_KEY",
    quirks=Quirks(
        max_tokens_field="max_tokens",
        refusal_as_text=True,
        efforts=("none", "low", "medium", "high"),
        thinking_field="reasoning_content",
    ),
)
