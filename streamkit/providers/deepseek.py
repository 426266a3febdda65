"""DeepSeek; https://api-docs.deepseek.com, its guide to thinking mode in particular, checked 2026-11-29."""

from streamkit.protocols import Quirks
from streamkit.providers.base import Provider

PROVIDER = Provider(
    name="deepseek",
    protocol="openai-chat",
    also=("openai-responses",),
    base_url="https://api.deepseek.com",
    key_variable="DEEPSEEK_API_KEY",
    quirks=Quirks(
        max_tokens_field="max_tokens",
        refusal_as_text=True,
        json_schema=False,
        string_content=True,
        thinking_form="thinking",
        thinking_field="reasoning_content",
        thinking_required=True,
    ),
)
