"""Cloudflare Workers AI; the account is in the address.

https://developers.cloudflare.com/workers-ai/configuration/open-ai-compatibility, checked 2026-11-30.
The variables are those of Cloudflare's own SDKs.
"""

from streamkit.protocols import Quirks
from streamkit.providers.base import Provider

PROVIDER = Provider(
    name="cloudflare",
    protocol="openai-chat",
    base_url="https://api.cloudflare.com/client/v4/accounts/{CLOUDFLARE_ACCOUNT_ID}/ai/v1",
    key_variable="CLOUDFLARE_API_TOKEN",
    quirks=Quirks(
        max_tokens_field="max_tokens",
        refusal_as_text=True,
        efforts=("low", "medium", "high"),
        thinking_field="reasoning_content",
    ),
)
