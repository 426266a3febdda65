"""Groq; https://console.groq.com/docs/openai and the request types of its SDK, checked 2026-11-29."""

from streamkit.protocols import Quirks
from streamkit.providers.base import Provider

PROVIDER = Provider(
    name="groq",
    protocol="openai-chat",
    also=("openai-responses",),
    base_url="https://api.groq.com/openai/v1",
    key_variable="GROQ_API_KEY",
    quirks=Quirks(
        refusal_as_text=True,
        stream_options=False,
        names=False,
        unsupported=("top_k", "logprobs", "logit_bias", "n"),
        efforts=("none", "low", "medium", "high"),
        thinking_field="reasoning",
    ),
)
