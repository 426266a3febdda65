"""A vLLM server, its Responses.

https://docs.vllm.ai/en/latest/serving/openai_compatible_server.html, checked 2026-11-30.
"""

from streamkit.protocols import Quirks
from streamkit.providers.base import Provider

PROVIDER = Provider(
    name="vllm-responses",
    protocol="openai-responses",
    base_url="http://localhost:8000/v1",
    key_variable="VLLM_API_KEY",
    key_optional=True,
    env_base_url="VLLM_BASE_URL",
    quirks=Quirks(refusal_as_text=True, efforts=("low", "medium", "high")),
)
