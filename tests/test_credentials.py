"""Which requests are let in by what."""

from __future__ import annotations

import pytest

from streamkit.credentials import find_credentials, lookup_for
from streamkit.credentials.token import TokenFunction
from streamkit.endpoint import Endpoint
from streamkit.keys import ApiKey
from streamkit.providers import Provider
from streamkit.providers.base import SCHEMES

URL = "https://acme.example"
KEY = "key-0123456789"


def kind(auth: str, api_key: ApiKey | None) -> str:
    row = Provider(name="acme", protocol="openai-chat", base_url=URL, auth=auth)
    found = find_credentials(Endpoint(row, api_key=api_key), api_key)
    return type(found).__name__


@pytest.mark.parametrize("auth", ["authorization", "x-api-key", "aws-sigv4", "google"])
def test_a_key_is_enough_where_it_is_sent_as_it_is(auth: str) -> None:
    assert kind(auth, KEY) == "NoneType"


@pytest.mark.parametrize("auth", ["authorization", *SCHEMES])
def test_a_function_takes_the_place_of_every_scheme(auth: str) -> None:
    assert kind(auth, lambda: KEY) == TokenFunction.__name__


def test_a_header_that_no_key_is_for_needs_nothing() -> None:
    assert kind("authorization", None) == "NoneType"


def test_a_key_that_is_exchanged_leads_to_its_scheme() -> None:
    assert kind("ibm-iam", KEY) == "IBMToken"


def test_only_an_aws_row_looks_beyond_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_REGION", "eu-north-1")
    for auth in ("authorization", *SCHEMES):
        assert lookup_for(Provider(name="acme", protocol="openai-chat", auth=auth))("AWS_REGION") == "eu-north-1"
