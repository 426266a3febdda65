"""DeepInfra; https://deepinfra.com/docs/openai_api, checked 2026-11-30."""

from streamkit.protocols import Quirks
from streamkit.providers.base import Provider

PROVIDER = Provider(
    name="deepinfra",
    protocol="openai-chat",
    base_url="https://api.deepinfra.com/v1/openai",
    key_variable="DEEPINFRA_API_KEY",
    quirks=Quirks(
        max_tokens_field="max_tokens",
        refusal_as_text=True,
        tool_choices=("auto", "none"),
        efforts=("none", "low", "medium", "high"),
        thinking_field="reasoning_content",
    ),
)
