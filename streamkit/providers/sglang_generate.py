"""An SGLang server, its native generation; https://docs.sglang.io/basic_usage/native_api.html, checked 2026-11-29."""

from streamkit.providers.base import Provider

PROVIDER = Provider(
    name="sglang-generate",
    protocol="sglang",
    base_url="http://localhost:30000",
    key_variable="SGLANG_API_KEY",
    key_optional=True,
    env_base_url="SGLANG_GENERATE_BASE_URL",
)
