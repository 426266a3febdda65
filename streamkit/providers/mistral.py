"""Mistral; https://docs.mistral.ai/api and the request types of its SDK, checked 2026-11-29."""

from streamkit.protocols import Quirks
from streamkit.providers.base import Provider

PROVIDER = Provider(
    name="mistral",
    protocol="openai-chat",
    also=("openai-responses",),
    base_url="https://api.mistral.ai/v1",
    key_variable="MISTRAL_API_KEY",
    quirks=Quirks(
        max_tokens_field="max_tokens",
        refusal_as_text=True,
        stream_options=False,
        seed_field="random_seed",
        names=False,
        unsupported=("logit_bias", "user"),
        tool_id_pattern="[A-Za-z0-9]{9}",
        tool_attachments=True,
        assistant_after_tool=True,
        thinking_field="content",
    ),
)
