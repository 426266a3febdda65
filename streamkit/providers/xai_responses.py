"""xAI, its Responses; https://docs.x.ai/docs/api-reference, checked 2026-11-30.

What its search in X does comes as calls of custom tools (`x_keyword_search`, `view_x_video`), after which the answer
goes on: xAI has run them. The caller's own tools are functions.
"""

from streamkit.protocols import Quirks
from streamkit.providers.base import Provider

PROVIDER = Provider(
    name="xai-responses",
    protocol="openai-responses",
    base_url="https://api.x.ai/v1",
    key_variable="XAI_API_KEY",
    quirks=Quirks(efforts=("none", "low", "medium", "high"), server_custom_tools=True),
)
