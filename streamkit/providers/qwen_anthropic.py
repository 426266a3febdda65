"""Alibaba's Model Studio in Singapore, its Anthropic-compatible endpoint.

https://help.aliyun.com/en/model-studio/anthropic-api-messages, checked 2026-11-30.
"""

from streamkit.protocols import Quirks
from streamkit.providers.base import Provider

PROVIDER = Provider(
    name="qwen-anthropic",
    protocol="anthropic",
    base_url="https://dashscope-intl.aliyuncs.com/apps/anthropic",
    key_variable="DASHSCOPE_API_KEY",
    auth="x-api-key",
    quirks=Quirks(unsigned_thinking=True),
)
