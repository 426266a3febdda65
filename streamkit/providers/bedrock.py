"""Amazon Bedrock, its Converse API with an API key; the address has the region in it.

https://docs.aws.amazon.com/bedrock/latest/userguide/api-keys.html and
https://docs.aws.amazon.com/general/latest/gr/bedrock.html, checked 2026-11-29. The variable of the address is that of
the AWS SDKs: https://docs.aws.amazon.com/sdkref/latest/guide/feature-ss-endpoints.html.
"""

from streamkit.providers.base import Provider

PROVIDER = Provider(
    name="bedrock",
    protocol="bedrock-converse",
    key_variable="AWS_BEARER_TOKEN_BEDROCK",
    env_base_url="AWS_ENDPOINT_URL_BEDROCK_RUNTIME",
)
