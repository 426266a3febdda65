"""LM Studio."""

from streamkit.protocols import Quirks
from streamkit.providers.base import Provider

PROVIDER = Provider(
    name="lmstudio",
    protocol="openai-chat",
    base_url="http://localhost:1234/v1",
    key_variable="LM_API_TOKEN",
    key_optional=True,
    quirks=Quirks(max_tokens_field="max_tokens"),
)
