"""SambaNova; https://docs.sambanova.ai/cloud/api-reference, checked 2026-11-30."""

from streamkit.protocols import Quirks
from streamkit.providers.base import Provider

PROVIDER = Provider(
    name="sambanova",
    protocol="openai-chat",
    base_url="https://api.sambanova.ai/v1",
    key_variable="SAMBANOVA_API_KEY",
    quirks=Quirks(
        max_tokens_field="max_tokens",
        refusal_as_text=True,
        string_content=True,
        unsupported=("presence_penalty", "frequency_penalty", "seed", "n", "logit_bias", "user"),
        efforts=("low", "medium", "high"),
        thinking_form="template",
        thinking_field="reasoning_content",
    ),
)
