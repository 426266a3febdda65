"""Moonshot in mainland China, otherwise as `moonshot`.

https://platform.kimi.com/docs/api/overview, checked 2026-11-30.
"""

from streamkit.protocols import Quirks
from streamkit.providers.base import Provider

PROVIDER = Provider(
    name="moonshot-cn",
    protocol="openai-chat",
    base_url="https://api.moonshot.cn/v1",
    key_variable="MOONSHOT_API_KEY",
    quirks=Quirks(
        max_tokens_field="max_tokens",
        refusal_as_text=True,
        string_content=True,
        image_urls=False,
        union_types=False,
        json_schema=False,
        tool_choices=("auto", "none"),
        unsupported=(
            "temperature",
            "top_p",
            "top_k",
            "n",
            "presence_penalty",
            "frequency_penalty",
            "logit_bias",
        ),
        efforts=("low", "high", "max"),
        thinking_form="thinking",
        thinking_field="reasoning_content",
        thinking_required=True,
    ),
)
