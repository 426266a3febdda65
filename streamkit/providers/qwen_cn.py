"""Alibaba's Model Studio in mainland China, otherwise as `qwen`.

https://help.aliyun.com/en/model-studio, checked 2026-11-30.
"""

from msgspec import structs

from streamkit.providers import qwen

PROVIDER = structs.replace(
    qwen.PROVIDER,
    name="qwen-cn",
    base_url="https://dashscope.aliyuncs.com/compatible-mode/v1",
)
