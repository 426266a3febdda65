"""Google's Gemini API; https://ai.google.dev/api, checked 2026-11-29."""

from streamkit.providers.base import Provider

PROVIDER = Provider(
    name="gemini",
    protocol="gemini",
    also=("gemini-interactions",),
    base_url="https://generativelanguage.googleapis.com",
    key_variable="GEMINI_API_KEY",
    env_base_url="GOOGLE_GEMINI_BASE_URL",
    auth="x-goog-api-key",
)
