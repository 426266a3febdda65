"""Cerebras; https://inference-docs.cerebras.ai and the request types of its SDK, checked 2026-11-30."""

from streamkit.protocols import Quirks
from streamkit.providers.base import Provider

PROVIDER = Provider(
    name="cerebras",
    protocol="openai-chat",
    base_url="https://api.cerebras.ai/v1",
    key_variable="CEREBRAS_API_KEY",
    quirks=Quirks(
        refusal_as_text=True,
        unsupported=("top_k",),
        efforts=("none", "low", "medium", "high"),
        thinking_field="reasoning",
    ),
)
