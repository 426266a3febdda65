"""OpenAI, its chat completions; https://platform.openai.com/docs/api-reference/chat, checked 2026-11-29."""

from streamkit.protocols import Quirks
from streamkit.providers.base import Provider

PROVIDER = Provider(
    name="openai",
    protocol="openai-chat",
    also=("openai-responses",),
    base_url="https://api.openai.com/v1",
    key_variable="OPENAI_API_KEY",
    env_base_url="OPENAI_BASE_URL",
    quirks=Quirks(
        system_role="developer",
        tool_id_pattern=".{1,40}",
        custom_calls=True,
        unsupported=("top_k",),
    ),
)
