"""Claude at Google Cloud's Vertex AI, in Anthropic's own dialect: streamRawPredict.

https://platform.claude.com/docs/en/build-with-claude/claude-on-vertex-ai, checked 2026-11-30. The variables are those
of Anthropic's SDK, or those of `vertex`.
"""

from streamkit.protocols import Quirks
from streamkit.providers.base import Provider
from streamkit.providers.vertex import HOSTS

PROVIDER = Provider(
    name="vertex-anthropic",
    protocol="anthropic",
    base_url="https://{CLOUD_ML_REGION,GOOGLE_CLOUD_LOCATION=global}-aiplatform.googleapis.com/v1",
    hosts=HOSTS,
    prefix=(
        "/projects/{ANTHROPIC_VERTEX_PROJECT_ID,GOOGLE_CLOUD_PROJECT}"
        "/locations/{CLOUD_ML_REGION,GOOGLE_CLOUD_LOCATION=global}/publishers/anthropic"
    ),
    env_base_url="ANTHROPIC_VERTEX_BASE_URL",
    auth="google",
    quirks=Quirks(
        anthropic_version="vertex-2023-10-16",
        anthropic_door="vertex",
        image_urls=False,
        unsupported=("service_tier",),
    ),
)
