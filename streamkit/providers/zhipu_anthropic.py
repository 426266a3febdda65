"""Zhipu, its Anthropic-compatible endpoint; https://docs.bigmodel.cn/cn/guide/develop/claude, checked 2026-11-30."""

from msgspec import structs

from streamkit.providers import zai_anthropic

PROVIDER = structs.replace(
    zai_anthropic.PROVIDER,
    name="zhipu-anthropic",
    base_url="https://open.bigmodel.cn/api/anthropic",
    key_variable="ZHIPUAI_API_KEY",
)
