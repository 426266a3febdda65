"""Azure OpenAI.

The base URL belongs to the account: `https://RESOURCE.openai.azure.com/openai/v1/`, or one deployment's, whose query
stays: `https://RESOURCE.openai.azure.com/openai/deployments/NAME?api-version=DATE` (the model is the deployment).
https://learn.microsoft.com/azure/ai-services/openai/reference, checked 2026-11-29.
"""

from streamkit.protocols import Quirks
from streamkit.providers.base import Provider

PROVIDER = Provider(
    name="azure",
    protocol="openai-chat",
    also=("openai-responses",),
    key_variable="AZURE_OPENAI_API_KEY",
    env_base_url="AZURE_OPENAI_BASE_URL",
    auth="api-key",
    token_auth="authorization",
    quirks=Quirks(
        system_role="developer",
        tool_id_pattern=".{1,40}",
        custom_calls=True,
        unsupported=("top_k",),
    ),
)
