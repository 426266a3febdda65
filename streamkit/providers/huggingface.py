"""Hugging Face, its router to inference providers: a model may name one, as `org/model:provider`.

https://huggingface.co/docs/inference-providers, checked 2026-11-30. The vendor behind it may have quirks of its own.
"""

from streamkit.protocols import Quirks
from streamkit.providers.base import Provider

PROVIDER = Provider(
    name="huggingface",
    protocol="openai-chat",
    also=("openai-responses",),
    base_url="https://router.huggingface.co/v1",
    key_variable="HF_TOKEN",
    quirks=Quirks(
        max_tokens_field="max_tokens",
        refusal_as_text=True,
        efforts=("none", "low", "medium", "high"),
        thinking_field="reasoning",
    ),
)
