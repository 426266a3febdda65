"""OpenRouter, its Responses; https://openrouter.ai/docs/api/reference/responses/overview, checked 2026-11-30."""

from streamkit.protocols import Quirks
from streamkit.providers.base import Provider

PROVIDER = Provider(
    name="openrouter-responses",
    protocol="openai-responses",
    base_url="https://openrouter.ai/api/v1",
    key_variable="OPENROUTER_API_KEY",
    quirks=Quirks(efforts=("none", "minimal", "low", "medium", "high", "xhigh")),
)
