"""OpenRouter; https://openrouter.ai/docs, its page on reasoning tokens in particular, checked 2026-11-29."""

from streamkit.protocols import Quirks
from streamkit.providers.base import Provider

PROVIDER = Provider(
    name="openrouter",
    protocol="openai-chat",
    also=("openai-responses",),
    base_url="https://openrouter.ai/api/v1",
    key_variable="OPENROUTER_API_KEY",
    quirks=Quirks(
        max_tokens_field="max_tokens",
        refusal_as_text=True,
        cache_control=True,
        efforts=("none", "minimal", "low", "medium", "high", "xhigh"),
        thinking_form="reasoning",
        thinking_field="reasoning",
        reasoning_details=True,
    ),
)
