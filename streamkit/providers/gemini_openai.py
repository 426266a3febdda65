"""Google's Gemini API, its OpenAI-compatible endpoint; its own API is `gemini`.

https://ai.google.dev/gemini-api/docs/openai, checked 2026-11-30. A call's signature comes and goes back as its
`extra_content`. A field that it does not know is an error, as is, from Gemini 3 on, a call without a signature.
"""

from streamkit.protocols import Quirks
from streamkit.providers.base import Provider

PROVIDER = Provider(
    name="gemini-openai",
    protocol="openai-chat",
    base_url="https://generativelanguage.googleapis.com/v1beta/openai",
    key_variable="GEMINI_API_KEY",
    quirks=Quirks(
        unsigned_call={"extra_content": {"google": {"thought_signature": "skip_thought_signature_validator"}}},
        max_tokens_field="max_tokens",
        refusal_as_text=True,
        strict_tools=False,
        image_urls=False,
        reasoning_outside_output=True,
        unsupported=("top_k", "seed", "presence_penalty", "frequency_penalty", "logit_bias", "user", "service_tier"),
        efforts=("none", "minimal", "low", "medium", "high"),
    ),
)
