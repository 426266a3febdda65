"""Ollama, its own API; https://docs.ollama.com/api, checked 2026-11-29. Its OpenAI-compatible endpoint is `ollama`."""

from streamkit.providers.base import Provider

PROVIDER = Provider(
    name="ollama-chat",
    protocol="ollama",
    base_url="http://localhost:11434",
    key_variable="OLLAMA_API_KEY",
    key_optional=True,
    env_base_url="OLLAMA_API_BASE",
)
