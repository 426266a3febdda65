"""Zhipu, which is Z.ai in mainland China, otherwise as `zai`; https://docs.bigmodel.cn, checked 2026-11-30."""

from streamkit.protocols import Quirks
from streamkit.providers.base import Provider

PROVIDER = Provider(
    name="zhipu",
    protocol="openai-chat",
    base_url="https://open.bigmodel.cn/api/paas/v4",
    key_variable="ZHIPUAI_API_KEY",
    quirks=Quirks(
        max_tokens_field="max_tokens",
        refusal_as_text=True,
        stream_options=False,
        names=False,
        tool_choices=("auto",),
        strict_tools=False,
        temperatures=(0.0, 1.0),
        json_schema=False,
        unsupported=(
            "top_k",
            "n",
            "presence_penalty",
            "frequency_penalty",
            "logit_bias",
            "logprobs",
            "parallel_tool_calls",
        ),
        efforts=("low", "high", "max"),
        thinking_form="thinking",
        thinking_field="reasoning_content",
    ),
)
