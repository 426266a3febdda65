"""A llama.cpp server, its OpenAI-compatible endpoint; key as in `llama-server --api-key`."""

from streamkit.protocols import Quirks
from streamkit.providers.base import Provider

PROVIDER = Provider(
    name="llamacpp",
    protocol="openai-chat",
    also=("openai-responses",),
    base_url="http://localhost:8080/v1",
    key_variable="LLAMA_API_KEY",
    key_optional=True,
    env_base_url="LLAMACPP_BASE_URL",
    quirks=Quirks(
        max_tokens_field="max_tokens",
        refusal_as_text=True,
        efforts=("none", "low", "medium", "high"),
        thinking_form="template",
        thinking_field="reasoning_content",
    ),
)
