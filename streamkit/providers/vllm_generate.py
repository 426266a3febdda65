"""vLLM's demonstration server; a vLLM server proper is `vllm`.

https://github.com/vllm-project/vllm, checked 2026-11-30.
"""

from streamkit.providers.base import Provider

PROVIDER = Provider(
    name="vllm-generate",
    protocol="vllm-generate",
    base_url="http://localhost:8000",
    key_variable="VLLM_API_KEY",
    key_optional=True,
    env_base_url="VLLM_GENERATE_BASE_URL",
)
