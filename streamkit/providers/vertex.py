"""Gemini at Google Cloud's Vertex AI, in a project and a location.

https://cloud.google.com/vertex-ai/generative-ai/docs/reference/rest, checked 2026-11-30. The variables and the hosts of
locations are those of the `google-genai` package 3.6.1.
"""

from streamkit.protocols import Quirks
from streamkit.providers.base import Provider

HOSTS = {
    "global-aiplatform.googleapis.com": "aiplatform.googleapis.com",
    "us-aiplatform.googleapis.com": "aiplatform.us.rep.googleapis.com",
    "eu-aiplatform.googleapis.com": "aiplatform.eu.rep.googleapis.com",
}

PROVIDER = Provider(
    name="vertex",
    protocol="gemini",
    base_url="https://{GOOGLE_CLOUD_LOCATION=global}-aiplatform.googleapis.com",
    hosts=HOSTS,
    prefix="/v1/projects/{GOOGLE_CLOUD_PROJECT}/locations/{GOOGLE_CLOUD_LOCATION=global}/publishers/google",
    env_base_url="GOOGLE_VERTEX_BASE_URL",
    auth="google",
    quirks=Quirks(gemini_version=""),
)
