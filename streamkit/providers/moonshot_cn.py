"""Moonshot in mainland China, otherwise as `moonshot`.

https://platform.kimi.com/docs/api/overview, checked 2026-11-30.
"""

from msgspec import structs

from streamkit.providers import moonshot

PROVIDER = structs.replace(
    moonshot.PROVIDER,
    name="moonshot-cn",
    base_url="https://api.moonshot.cn/v1",
)
