"""OpenAI, its Responses; https://platform.openai.com/docs/api-reference/responses, checked 2026-11-29."""

from streamkit.protocols import Quirks
from streamkit.providers.base import Provider

PROVIDER = Provider(
    name="openai-responses",
    protocol="openai-responses",
    base_url="https://api.openai.com/v1",
    key_variable="OPENAI_API_KEY",
    env_base_url="OPENAI_BASE_URL",
    quirks=Quirks(system_role="developer"),
)
