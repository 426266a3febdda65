"""Azure OpenAI, whose base URL belongs to the account."""

from streamkit.protocols import Quirks
from streamkit.providers.base import Provider

PROVIDER = Provider(
    name="azure",
    protocol="openai-chat",
    key_variable="AZURE_OPENAI_API_KEY",
    env_base_url="AZURE_OPENAI_BASE_URL",
    auth="api-key",
    quirks=Quirks(system_role="developer"),
)
