"""Zhipu, its Anthropic-compatible endpoint; https://docs.bigmodel.cn/cn/guide/develop/claude, checked 2026-11-30."""

from streamkit.protocols import Quirks
from streamkit.providers.base import Provider

PROVIDER = Provider(
    name="zhipu-anthropic",
    protocol="anthropic",
    base_url="https://open.bigmodel.cn/api/anthropic",
    key_variable="ZHIPUAI_API_KEY",
    quirks=Quirks(unsigned_thinking=True),
)
