"""Zhipu, which is Z.ai in mainland China, otherwise as `zai`; https://docs.bigmodel.cn, checked 2026-11-30."""

from msgspec import structs

from streamkit.providers import zai

PROVIDER = structs.replace(
    zai.PROVIDER,
    name="zhipu",
    base_url="https://open.bigmodel.cn/api/paas/v4",
    key_variable="ZHIPUAI_API_KEY",
    env_base_url="",
)
