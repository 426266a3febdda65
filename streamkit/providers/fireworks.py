"""Fireworks."""

from streamkit.protocols import Quirks
from streamkit.providers.base import Provider

PROVIDER = Provider(
    name="fireworks",
    protocol="openai-chat",
    base_url="https://api.fireworks.ai/inference/v1",
    key_variable="FIREWORKS_API_KEY",
    quirks=Quirks(max_tokens_field="max_tokens"),
)
