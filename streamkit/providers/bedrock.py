"""Amazon Bedrock, its Converse API, with an API key of Bedrock's or signed with AWS credentials.

https://docs.aws.amazon.com/bedrock/latest/userguide/api-keys.html and
https://docs.aws.amazon.com/general/latest/gr/bedrock.html, checked 2026-11-29. The variable of the address is that of
the AWS SDKs: https://docs.aws.amazon.com/sdkref/latest/guide/feature-ss-endpoints.html.
"""

from streamkit.providers.base import Provider

PROVIDER = Provider(
    name="bedrock",
    protocol="bedrock-converse",
    base_url="https://bedrock-runtime.{AWS_REGION,AWS_DEFAULT_REGION}.amazonaws.com",
    key_variable="AWS_BEARER_TOKEN_BEDROCK",
    env_base_url="AWS_ENDPOINT_URL_BEDROCK_RUNTIME",
    auth="aws-sigv4",
)
