"""DashScope, its own API, multimodal models (Qwen-VL, Qwen3.5 and later); the page that `dashscope` names."""

from streamkit.protocols import Quirks
from streamkit.providers.base import Provider

PROVIDER = Provider(
    name="dashscope-multimodal",
    protocol="dashscope",
    base_url="https://dashscope.aliyuncs.com/api/v1",
    key_variable="DASHSCOPE_API_KEY",
    env_base_url="DASHSCOPE_HTTP_BASE_URL",
    quirks=Quirks(thinking_field="reasoning_content", multimodal=True),
)
