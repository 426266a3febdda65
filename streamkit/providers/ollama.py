"""Ollama, its OpenAI-compatible endpoint; https://docs.ollama.com/api/openai-compatibility, checked 2026-11-29."""

from streamkit.protocols import Quirks
from streamkit.providers.base import Provider

PROVIDER = Provider(
    name="ollama",
    protocol="openai-chat",
    also=("openai-responses",),
    base_url="http://localhost:11434/v1",
    key_variable="OLLAMA_API_KEY",
    key_optional=True,
    env_base_url="OLLAMA_BASE_URL",
    quirks=Quirks(
        max_tokens_field="max_tokens",
        refusal_as_text=True,
        efforts=("none", "low", "medium", "high"),
        string_content=True,
        image_urls=False,
        tool_choices=(),
        unsupported=("n", "logit_bias", "user", "parallel_tool_calls", "service_tier"),
        thinking_field="reasoning",
    ),
)
