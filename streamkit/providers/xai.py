"""xAI, its chat completions; https://docs.x.ai/docs/api-reference, checked 2026-11-29."""

from streamkit.protocols import Quirks
from streamkit.providers.base import Provider

PROVIDER = Provider(
    name="xai",
    protocol="openai-chat",
    also=("openai-responses",),
    base_url="https://api.x.ai/v1",
    key_variable="XAI_API_KEY",
    quirks=Quirks(
        refusal_as_text=True,
        reasoning_outside_output=True,
        unsupported=("top_k",),
        efforts=("none", "low", "medium", "high"),
    ),
)
