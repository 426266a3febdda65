"""Novita; https://novita.ai/docs/guides/llm-api, checked 2026-11-30."""

from streamkit.protocols import Quirks
from streamkit.providers.base import Provider

PROVIDER = Provider(
    name="novita",
    protocol="openai-chat",
    base_url="https://api.novita.ai/v3/openai",
    key_variable="NOVITA_API_KEY",
    quirks=Quirks(
        max_tokens_field="max_tokens",
        refusal_as_text=True,
        thinking_form="enable_thinking",
        thinking_field="reasoning_content",
    ),
)
