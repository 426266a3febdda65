"""A LiteLLM proxy; https://docs.litellm.ai/docs/providers/litellm_proxy, checked 2026-11-30."""

from streamkit.protocols import Quirks
from streamkit.providers.base import Provider

PROVIDER = Provider(
    name="litellm",
    protocol="openai-chat",
    also=("openai-responses",),
    base_url="http://localhost:4000/v1",
    key_variable="LITELLM_PROXY_API_KEY",
    key_optional=True,
    env_base_url="LITELLM_PROXY_API_BASE",
    quirks=Quirks(
        max_tokens_field="max_tokens",
        refusal_as_text=True,
        cache_control=True,
        thinking_blocks=True,
        thinking_field="reasoning_content",
    ),
)
