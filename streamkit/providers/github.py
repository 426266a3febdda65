"""GitHub Models, with a token that may read models.

https://docs.github.com/rest/models/inference, checked 2026-11-30.
"""

from streamkit.protocols import Quirks
from streamkit.providers.base import Provider

PROVIDER = Provider(
    name="github",
    protocol="openai-chat",
    base_url="https://models.github.ai/inference",
    key_variable="GITHUB_TOKEN",
    headers={"X-GitHub-Api-Version": "2022-11-28"},
    quirks=Quirks(
        max_tokens_field="max_tokens",
        refusal_as_text=True,
        unsupported=("top_k", "logit_bias", "n"),
        efforts=("low", "medium", "high"),
    ),
)
