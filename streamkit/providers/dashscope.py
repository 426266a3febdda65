"""DashScope, its own API, text models; https://help.aliyun.com/en/model-studio/qwen-api-via-dashscope, 2026-11-29."""

from streamkit.protocols import Quirks
from streamkit.providers.base import Provider

PROVIDER = Provider(
    name="dashscope",
    protocol="dashscope",
    base_url="https://dashscope.aliyuncs.com/api/v1",
    key_variable="DASHSCOPE_API_KEY",
    env_base_url="DASHSCOPE_HTTP_BASE_URL",
    quirks=Quirks(thinking_field="reasoning_content"),
)
