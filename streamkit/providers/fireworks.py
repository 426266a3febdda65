"""Fireworks; https://docs.fireworks.ai/guides/reasoning, checked 2026-11-29."""

from streamkit.protocols import Quirks
from streamkit.providers.base import Provider

PROVIDER = Provider(
    name="fireworks",
    protocol="openai-chat",
    base_url="https://api.fireworks.ai/inference/v1",
    key_variable="FIREWORKS_API_KEY",
    quirks=Quirks(
        max_tokens_field="max_tokens",
        refusal_as_text=True,
        efforts=("none", "low", "medium", "high"),
        thinking_field="reasoning_content",
    ),
)
