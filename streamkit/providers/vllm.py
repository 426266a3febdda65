"""A vLLM server; https://docs.vllm.ai/en/latest/serving/openai_compatible_server.html, checked 2026-11-29."""

from streamkit.protocols import Quirks
from streamkit.providers.base import Provider

PROVIDER = Provider(
    name="vllm",
    protocol="openai-chat",
    also=("openai-responses",),
    base_url="http://localhost:8000/v1",
    key_variable="VLLM_API_KEY",
    key_optional=True,
    env_base_url="VLLM_BASE_URL",
    quirks=Quirks(
        max_tokens_field="max_tokens",
        refusal_as_text=True,
        efforts=("none", "low", "medium", "high"),
        thinking_form="template",
        thinking_field="reasoning",
    ),
)
