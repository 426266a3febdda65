"""Nvidia NIM as Nvidia hosts it, with `base_url=` your own; https://docs.api.nvidia.com/nim, checked 2026-11-30."""

from streamkit.protocols import Quirks
from streamkit.providers.base import Provider

PROVIDER = Provider(
    name="nvidia",
    protocol="openai-chat",
    base_url="https://integrate.api.nvidia.com/v1",
    key_variable="NVIDIA_API_KEY",
    quirks=Quirks(
        max_tokens_field="max_tokens",
        refusal_as_text=True,
        unsupported=("service_tier",),
        efforts=("low", "medium", "high"),
        thinking_form="template",
        thinking_field="reasoning_content",
    ),
)
