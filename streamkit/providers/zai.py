"""Z.ai, the makers of GLM; https://docs.z.ai/api-reference/llm/chat-completion and its SDK, checked 2026-11-30.

The arguments of a call come at once unless `tool_stream=True` is a parameter.
"""

from streamkit.protocols import Quirks
from streamkit.providers.base import Provider

PROVIDER = Provider(
    name="zai",
    protocol="openai-chat",
    base_url="https://api.z.ai/api/paas/v4",
    key_variable="ZAI_API_KEY",
    env_base_url="ZAI_BASE_URL",
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
