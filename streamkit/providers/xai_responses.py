"""xAI, its Responses; https://docs.x.ai/docs/api-reference, checked 2026-11-30."""

from streamkit.protocols import Quirks
from streamkit.providers.base import Provider

PROVIDER = Provider(
    name="xai-responses",
    protocol="openai-responses",
    base_url="https://api.x.ai/v1",
    key_variable="XAI_API_KEY",
    quirks=Quirks(efforts=("none", "low", "medium", "high")),
)
