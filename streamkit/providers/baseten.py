"""Baseten, its Model APIs; https://docs.baseten.co/inference/model-apis/overview, checked 2026-11-30."""

from streamkit.protocols import Quirks
from streamkit.providers.base import Provider

PROVIDER = Provider(
    name="baseten",
    protocol="openai-chat",
    base_url="https://inference.baseten.co/v1",
    key_variable="BASETEN_API_KEY",
    quirks=Quirks(
        max_tokens_field="max_tokens",
        refusal_as_text=True,
        efforts=("none", "low", "medium", "high"),
        thinking_field="reasoning_content",
    ),
)
