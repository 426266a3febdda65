"""A TGI server, its native generation; its OpenAI-compatible endpoint is `tgi`.

https://huggingface.co/docs/text-generation-inference/basic_tutorials/consuming_tgi, checked 2026-11-30.
"""

from streamkit.providers.base import Provider

PROVIDER = Provider(
    name="tgi-generate",
    protocol="tgi",
    base_url="http://localhost:8080",
    key_variable="TGI_API_KEY",
    key_optional=True,
    env_base_url="TGI_GENERATE_BASE_URL",
)
