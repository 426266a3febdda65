"""A server of Hugging Face's Text Generation Inference; the model is called `tgi`, whichever it is.

https://huggingface.co/docs/text-generation-inference/messages_api, checked 2026-11-30.
"""

from streamkit.protocols import Quirks
from streamkit.providers.base import Provider

PROVIDER = Provider(
    name="tgi",
    protocol="openai-chat",
    base_url="http://localhost:8080/v1",
    key_variable="TGI_API_KEY",
    key_optional=True,
    env_base_url="TGI_BASE_URL",
    quirks=Quirks(
        max_tokens_field="max_tokens",
        refusal_as_text=True,
        schema_as_value=True,
        unsupported=("top_k", "parallel_tool_calls", "service_tier", "user", "thinking"),
    ),
)
