"""MiniMax; https://platform.minimax.io/docs/api-reference/text-openai-api, checked 2026-11-30.

Thinking comes apart from the text only where that is asked
for (`reasoning_split`), and M2 models always think.
"""

from streamkit.protocols import Quirks
from streamkit.providers.base import Provider

PROVIDER = Provider(
    name="minimax",
    protocol="openai-chat",
    base_url="https://api.minimax.io/v1",
    key_variable="MINIMAX_API_KEY",
    quirks=Quirks(
        max_tokens_field="max_tokens",
        refusal_as_text=True,
        tool_choices=("auto", "none"),
        temperatures=(0.01, 1.0),
        json_schema=False,
        unsupported=("top_k", "n", "logit_bias"),
        reasoning_details=True,
        thinking_form="adaptive",
        fields={"reasoning_split": True},
    ),
)
