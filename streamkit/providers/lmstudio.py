"""LM Studio, its OpenAI-compatible endpoint; https://lmstudio.ai/docs/developer, checked 2026-11-29."""

from streamkit.protocols import Quirks
from streamkit.providers.base import Provider

PROVIDER = Provider(
    name="lmstudio",
    protocol="openai-chat",
    also=("openai-responses",),
    base_url="http://localhost:1234/v1",
    key_variable="LM_API_TOKEN",
    key_optional=True,
    env_base_url="LMSTUDIO_BASE_URL",
    quirks=Quirks(
        max_tokens_field="max_tokens",
        refusal_as_text=True,
        efforts=("none", "low", "medium", "high"),
        image_urls=False,
    ),
)
