"""OpenAI, its legacy completions, which gpt-3.5-turbo-instruct and the base models have.

https://platform.openai.com/docs/api-reference/completions, checked 2026-11-29.
"""

from streamkit.protocols import Quirks
from streamkit.providers.base import Provider

PROVIDER = Provider(
    name="openai-completions",
    protocol="openai-completions",
    base_url="https://api.openai.com/v1",
    key_variable="OPENAI_API_KEY",
    env_base_url="OPENAI_BASE_URL",
    quirks=Quirks(unsupported=("top_k",)),
)
