"""Volcengine Ark, which serves Doubao; https://www.volcengine.com/docs/82379/1494384, checked 2026-11-30."""

from streamkit.protocols import Quirks
from streamkit.providers.base import Provider

PROVIDER = Provider(
    name="volcengine",
    protocol="openai-chat",
    base_url="https://ark.cn-beijing.volces.com/api/v3",
    key_variable="ARK_API_KEY",
    quirks=Quirks(
        max_tokens_field="max_tokens",
        refusal_as_text=True,
        unsupported=("top_k", "seed", "n", "user"),
        efforts=("minimal", "low", "medium", "high"),
        thinking_form="thinking",
        thinking_field="reasoning_content",
    ),
)
