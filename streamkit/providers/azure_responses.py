"""Azure OpenAI, its Responses; the address is as at `azure`, with `/openai/v1/` at its end.

https://learn.microsoft.com/azure/ai-services/openai/how-to/responses, checked 2026-11-30.
"""

from streamkit.protocols import Quirks
from streamkit.providers.base import Provider

PROVIDER = Provider(
    name="azure-responses",
    protocol="openai-responses",
    key_variable="AZURE_OPENAI_API_KEY",
    env_base_url="AZURE_OPENAI_BASE_URL",
    auth="api-key",
    token_auth="authorization",
    quirks=Quirks(system_role="developer"),
)
