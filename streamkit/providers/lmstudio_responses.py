"""LM Studio, its Responses; https://lmstudio.ai/docs/developer/openai-compat/responses, checked 2026-11-30."""

from streamkit.protocols import Quirks
from streamkit.providers.base import Provider

PROVIDER = Provider(
    name="lmstudio-responses",
    protocol="openai-responses",
    base_url="http://localhost:1234/v1",
    key_variable="LM_API_TOKEN",
    key_optional=True,
    env_base_url="LMSTUDIO_BASE_URL",
    quirks=Quirks(refusal_as_text=True, efforts=("low", "medium", "high"), image_urls=False),
)
