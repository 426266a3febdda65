"""Vendors as data: one file each, with its row as PROVIDER."""

from __future__ import annotations

from importlib import import_module

from streamkit.errors import ConfigError
from streamkit.providers.base import Provider

__all__ = ["PROVIDERS", "Provider", "get_provider"]

# One word a vendor; the module of that name (dashes as underscores) is loaded on first use.
PROVIDERS = (
    "anthropic",
    "azure",
    "deepseek",
    "fireworks",
    "groq",
    "llamacpp",
    "lmstudio",
    "mistral",
    "ollama",
    "openai",
    "openrouter",
    "together",
    "vllm",
    "xai",
)


def get_provider(name: str) -> Provider:
    """Return the vendor `name`; raises `ConfigError` where there is none of that name."""
    if name not in PROVIDERS:
        raise ConfigError(f"unknown provider {name!r}; known are {', '.join(PROVIDERS)}")
    provider: Provider = import_module(f"streamkit.providers.{name.replace('-', '_')}").PROVIDER
    return provider
