"""Claude at Amazon Bedrock in Anthropic's own dialect: InvokeModelWithResponseStream.

https://platform.claude.com/docs/en/build-with-claude/claude-in-amazon-bedrock and
https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_InvokeModelWithResponseStream.html, checked
2026-11-30. Address, key and signature are as at `bedrock`; the variable of the address is that of Anthropic's SDK. A
beta is asked for in the body, as `anthropic_beta`.
"""

from streamkit.protocols import Quirks
from streamkit.providers.base import Provider

PROVIDER = Provider(
    name="bedrock-anthropic",
    protocol="anthropic",
    framing="aws-eventstream",
    base_url="https://bedrock-runtime.{AWS_REGION,AWS_DEFAULT_REGION}.amazonaws.com",
    key_variable="AWS_BEARER_TOKEN_BEDROCK",
    env_base_url="ANTHROPIC_BEDROCK_BASE_URL",
    auth="aws-sigv4",
    quirks=Quirks(anthropic_version="bedrock-2023-05-31", anthropic_door="bedrock", image_urls=False),
)
