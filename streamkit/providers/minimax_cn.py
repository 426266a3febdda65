"""MiniMax in mainland China, otherwise as `minimax`; https://platform.minimaxi.com/docs, checked 2026-11-30."""

from streamkit.protocols import Quirks
from streamkit.providers.base import Provider

PROVIDER = Provider(
    name="minimax-cn",
    protocol="openai-chat",
    base_url="https://api.minimaxi.com/v1",
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
