"""An SGLang server, its OpenAI-compatible endpoint.

https://docs.sglang.io/basic_usage/openai_api.html, checked 2026-11-30.
"""

from streamkit.protocols import Quirks
from streamkit.providers.base import Provider

PROVIDER = Provider(
    name="sglang",
    protocol="openai-chat",
    also=("openai-responses",),
    base_url="http://localhost:30000/v1",
    key_variable="SGLANG_API_KEY",
    key_optional=True,
    env_base_url="SGLANG_BASE_URL",
    quirks=Quirks(
        max_tokens_field="max_tokens",
        refusal_as_text=True,
        efforts=("none", "low", "medium", "high"),
        thinking_form="template",
        thinking_field="reasoning_content",
    ),
)
