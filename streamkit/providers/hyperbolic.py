"""Hyperbolic; https://docs.hyperbolic.xyz/docs/rest-api, checked 2026-11-30."""

from streamkit.protocols import Quirks
from streamkit.providers.base import Provider

PROVIDER = Provider(
    name="hyperbolic",
    protocol="openai-chat",
    base_url="https://api.hyperbolic.xyz/v1",
    key_variable="HYPERBOLIC_API_KEY",
    quirks=Quirks(
        max_tokens_field="max_tokens",
        refusal_as_text=True,
        unsupported=("parallel_tool_calls", "service_tier", "thinking"),
        thinking_field="reasoning_content",
    ),
)
