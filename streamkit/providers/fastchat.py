"""A FastChat worker; behind a controller each worker has an address of its own.

https://github.com/lm-sys/FastChat, checked 2026-11-30.
"""

from streamkit.providers.base import Provider

PROVIDER = Provider(
    name="fastchat",
    protocol="fastchat",
    base_url="http://localhost:21002",
    key_variable="FASTCHAT_API_KEY",
    key_optional=True,
    env_base_url="FASTCHAT_BASE_URL",
)
