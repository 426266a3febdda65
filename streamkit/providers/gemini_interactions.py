"""Google's Gemini API, its Interactions; https://ai.google.dev/gemini-api/docs/interactions, checked 2026-11-30."""

from streamkit.providers.base import Provider

PROVIDER = Provider(
    name="gemini-interactions",
    protocol="gemini-interactions",
    base_url="https://generativelanguage.googleapis.com",
    key_variable="GEMINI_API_KEY",
    env_base_url="GOOGLE_GEMINI_BASE_URL",
    auth="x-goog-api-key",
)
