"""IBM watsonx.ai; the region is in the address, and a parameter names the project: `project_id="…"` or `space_id="…"`.

https://cloud.ibm.com/apidocs/watsonx-ai#text-chat-stream and IBM's SDKs, checked 2026-11-30.
"""

from streamkit.protocols import Quirks
from streamkit.providers.base import Provider

PROVIDER = Provider(
    name="watsonx",
    protocol="openai-chat",
    base_url="https://{WATSONX_REGION=us-south}.ml.cloud.ibm.com",
    key_variable="WATSONX_APIKEY",
    auth="ibm-iam",
    env_base_url="WATSONX_URL",
    quirks=Quirks(
        max_tokens_field="max_tokens",
        refusal_as_text=True,
        stream_options=False,
        model_field="model_id",
        stream_field=False,
        chat_path="/ml/v1/text/chat_stream?version=2025-10-01",
        choice_field="tool_choice_option",
        strict_tools=False,
        unsupported=("top_k", "user", "service_tier", "parallel_tool_calls"),
        efforts=("low", "medium", "high"),
        thinking_field="reasoning_content",
    ),
)
