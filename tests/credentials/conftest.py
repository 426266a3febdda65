"""Accounts at clouds that exist on this machine only."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

ID, SECRET, SESSION = "AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", "FwoGZXIvYXdzEXAMPLE+token/=="


@pytest.fixture
def account(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[pytest.MonkeyPatch]:
    """Credentials and a region of AWS in the environment, and nothing of the machine's own."""
    for name in (
        *("AWS_BEARER_TOKEN_BEDROCK", "AWS_ENDPOINT_URL_BEDROCK_RUNTIME", "ANTHROPIC_BEDROCK_BASE_URL"),
        *("AWS_PROFILE", "AWS_DEFAULT_REGION"),
    ):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "config"))
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "credentials"))
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", ID)
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", SECRET)
    monkeypatch.setenv("AWS_SESSION_TOKEN", SESSION)
    monkeypatch.setenv("AWS_REGION", "eu-central-1")
    yield monkeypatch


@pytest.fixture(scope="session")
def private_key() -> str:
    kinds = pytest.importorskip("cryptography.hazmat.primitives.serialization", reason="the extra `vertex` is missing")
    rsa = pytest.importorskip("cryptography.hazmat.primitives.asymmetric.rsa", reason="the extra `vertex` is missing")
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    pem: bytes = key.private_bytes(kinds.Encoding.PEM, kinds.PrivateFormat.PKCS8, kinds.NoEncryption())
    return pem.decode()


@pytest.fixture
def no_google_account(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No credentials of Google's that this machine may have."""
    pytest.importorskip("google.auth", reason="the extra `vertex` is not installed")
    monkeypatch.setenv("CLOUDSDK_CONFIG", str(tmp_path))
    monkeypatch.setattr("google.auth.compute_engine._metadata._NO_GCE_CHECK", True)  # its variable is read on import
    monkeypatch.setenv("GOOGLE_CLOUD_PROJECT", "p-1")
    for name in (
        *("GOOGLE_APPLICATION_CREDENTIALS", "GOOGLE_CLOUD_QUOTA_PROJECT", "GOOGLE_CLOUD_LOCATION", "CLOUD_ML_REGION"),
        *("GOOGLE_VERTEX_BASE_URL", "ANTHROPIC_VERTEX_BASE_URL", "ANTHROPIC_VERTEX_PROJECT_ID"),
    ):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def google_account(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, no_google_account: None, private_key: str
) -> Callable[[str], None]:
    """Makes application default credentials of a service account, whose tokens are given at an address."""

    def make(url: str) -> None:
        path = tmp_path / "account.json"
        info = {
            "type": "service_account",
            "project_id": "p-1",
            "private_key_id": "k-1",
            "private_key": private_key,
            "client_email": "robot@p-1.example",
            "client_id": "1",
            "token_uri": f"{url}/token",
        }
        path.write_text(json.dumps(info))
        monkeypatch.setenv("GOOGLE_APPLICATION_CREDENTIALS", str(path))

    return make
