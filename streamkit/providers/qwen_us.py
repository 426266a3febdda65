"""Alibaba's Model Studio in Virginia, otherwise as `qwen`.

https://help.aliyun.com/en/model-studio, checked 2026-11-30.
"""

from streamkit.protocols import Quirks
from streamkit.providers.base import Provider

PROVIDER = Provider(
    name="qwen-us",
    protocol="openai-chat",
    base_url="https://dashscope-us.aliyuncs.com/compatible-mode/v1",
    key_variable="DASHSCOPE_API_KEY",
    quirks=Quirks(
        max_tokens_field="max_tokens",
        refusal_as_text=True,
        tool_choices=("auto", "none", "named"),
        cache_control=True,
        unsupported=("frequency_penalty", "logit_bias", "user"),
        thinking_form="enable_thinking",
        thinking_field="reasoning_content",
    ),
)
