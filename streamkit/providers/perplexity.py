"""Perplexity, its Sonar models; https://docs.perplexity.ai and the types of its SDK, checked 2026-11-30.

`stream_mode="concise"` as a parameter streams the steps before the answer too.
"""

from streamkit.protocols import Quirks
from streamkit.providers.base import Provider

PROVIDER = Provider(
    name="perplexity",
    protocol="openai-chat",
    base_url="https://api.perplexity.ai",
    key_variable="PERPLEXITY_API_KEY",
    env_base_url="PERPLEXITY_BASE_URL",
    quirks=Quirks(
        max_tokens_field="max_tokens",
        refusal_as_text=True,
        think_tags=True,
        stream_options=False,
        alternating=True,
        unsupported=("seed", "logit_bias", "user", "service_tier"),
        efforts=("minimal", "low", "medium", "high"),
        tool_choices=("auto", "none", "required"),
    ),
)
