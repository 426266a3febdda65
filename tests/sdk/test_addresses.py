"""Where the official SDKs send requests when nobody says, and where our rows do."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from streamkit.providers import get_provider
from tests.sdk.sdks import SDKS, import_sdk

pytestmark = pytest.mark.sdk

# The base URL of a client of each package that has one of its own; Bedrock's is of a region.
DEFAULTS: dict[str, Callable[[Any], Any]] = {
    "openai": lambda sdk: sdk.OpenAI(api_key="key").base_url,
    "anthropic": lambda sdk: sdk.Anthropic(api_key="key").base_url,
    "google.genai": lambda sdk: sdk.Client(api_key="key")._api_client._http_options.base_url,
    "cohere": lambda sdk: sdk.ClientV2(api_key="key")._client_wrapper.get_base_url(),
    "mistralai.client": lambda sdk: sdk.Mistral(api_key="key").sdk_configuration.get_server_details()[0],
    "groq": lambda sdk: sdk.Groq(api_key="key").base_url,
    "ollama": lambda sdk: str(sdk.Client()._client.base_url).replace("127.0.0.1", "localhost"),
    "dashscope": lambda sdk: sdk.base_http_api_url,
}


@pytest.mark.parametrize("name", [name for name, sdk in SDKS.items() if sdk.package in DEFAULTS])
def test_a_rows_address_is_that_of_the_vendors_sdk(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    sdk = SDKS[name]
    for variable in ("OPENAI_BASE_URL", "ANTHROPIC_BASE_URL", "GOOGLE_GEMINI_BASE_URL", "CO_API_URL", "OLLAMA_HOST"):
        monkeypatch.delenv(variable, raising=False)
    default = str(DEFAULTS[sdk.package](import_sdk(sdk.package))).rstrip("/").removesuffix(sdk.theirs)
    assert default + sdk.ours == get_provider(sdk.model.partition("/")[0]).base_url
