"""What the tests of the official SDKs share."""

from __future__ import annotations

import pytest

from tests.sdk.sdks import SDKS, Sdk


@pytest.fixture
def anyio_backend() -> str:
    """The one event loop that every SDK runs on."""
    return "asyncio"


@pytest.fixture(autouse=True)
def only_the_loopback(monkeypatch: pytest.MonkeyPatch) -> None:
    """A proxy does not know our loopback interface, and no key of the user's is needed."""
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    for variable in ("ANTHROPIC_AUTH_TOKEN", "AWS_BEARER_TOKEN_BEDROCK", "GOOGLE_API_KEY", "GEMINI_API_KEY"):
        monkeypatch.delenv(variable, raising=False)


@pytest.fixture(params=SDKS)
def sdk(request: pytest.FixtureRequest) -> Sdk:
    """The SDKs in turn."""
    return SDKS[str(request.param)]
