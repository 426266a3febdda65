"""Together; https://docs.together.ai/reference, checked 2026-11-29."""

from streamkit.protocols import Quirks
from streamkit.providers.base import Provider

PROVIDER = Provider(
    name="together",
    protocol="openai-chat",
    base_url="https://api.together.ai/v1",
    key_variable="TOGETHER_API_KEY",
    quirks=Quirks(
        max_tokens_field="max_tokens",
        refusal_as_text=True,
        efforts=("low", "medium", "high"),
        thinking_form="enabled",
    ),
)
