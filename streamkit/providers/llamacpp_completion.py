"""A llama.cpp server, its native completion; its OpenAI-compatible endpoint is `llamacpp`.

https://github.com/ggml-org/llama.cpp/tree/master/tools/server, checked 2026-11-29.
"""

from streamkit.providers.base import Provider

PROVIDER = Provider(
    name="llamacpp-completion",
    protocol="llamacpp",
    base_url="http://localhost:8080",
    key_variable="LLAMA_API_KEY",
    key_optional=True,
    env_base_url="LLAMACPP_COMPLETION_BASE_URL",
)
