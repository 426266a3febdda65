"""Vertex AI, its OpenAI-compatible endpoint: Gemini (`google/gemini-2.5-flash`) and the open models that it serves.

https://cloud.google.com/vertex-ai/generative-ai/docs/migrate/openai/overview, checked 2026-11-30. Where the variables
have no project, its address is `https://aiplatform.googleapis.com/v1/projects/P/locations/global/endpoints/openapi`.
An image is taken by its bytes or from Cloud Storage (`gs://…`).
"""

from streamkit.protocols import Quirks
from streamkit.providers.base import Provider
from streamkit.providers.vertex import HOSTS

PROVIDER = Provider(
    name="vertex-openai",
    protocol="openai-chat",
    base_url=(
        "https://{GOOGLE_CLOUD_LOCATION=global}-aiplatform.googleapis.com/v1"
        "/projects/{GOOGLE_CLOUD_PROJECT}/locations/{GOOGLE_CLOUD_LOCATION=global}/endpoints/openapi"
    ),
    hosts=HOSTS,
    auth="google",
    quirks=Quirks(
        unsigned_call={"extra_content": {"google": {"thought_signature": "skip_thought_signature_validator"}}},
        reasoning_outside_output=True,
        max_tokens_field="max_tokens",
        refusal_as_text=True,
        image_urls=False,
        unsupported=("top_k",),
        efforts=("low", "medium", "high"),
    ),
)
