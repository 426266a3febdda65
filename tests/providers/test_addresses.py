"""Addresses that the environment completes."""

from __future__ import annotations

import pytest

from streamkit.endpoint import Endpoint
from streamkit.errors import ConfigError
from streamkit.providers import Provider
from streamkit.providers.addresses import fill_address

REGION = "https://api.{ACME_REGION,ACME_DEFAULT_REGION}.acme.example/v1"
DEFAULT = "https://{ACME_REGION=us}.acme.example"
ACCOUNT = "https://acme.example/accounts/{ACME_ACCOUNT}/projects/{ACME_PROJECT}"
HOST = "{ACME_HOST}/serving"
GLOBAL = {"all-api.acme.example": "api.acme.example"}


def row(base_url: str, **fields: object) -> Provider:
    return Provider(name="acme", protocol="openai-chat", base_url=base_url, **fields)


FILLED: list[tuple[str, str, dict[str, str], str]] = [
    ("no placeholder", "https://acme.example/v1", {}, "https://acme.example/v1"),
    ("no address", "", {}, ""),
    ("one variable", REGION, {"ACME_REGION": "eu-1"}, "https://api.eu-1.acme.example/v1"),
    ("the second variable", REGION, {"ACME_DEFAULT_REGION": "eu-2"}, "https://api.eu-2.acme.example/v1"),
    (
        "the first of two",
        REGION,
        {"ACME_DEFAULT_REGION": "eu-2", "ACME_REGION": "eu-1"},
        "https://api.eu-1.acme.example/v1",
    ),
    ("a blank one", REGION, {"ACME_REGION": " ", "ACME_DEFAULT_REGION": "eu-2"}, "https://api.eu-2.acme.example/v1"),
    ("white space around", REGION, {"ACME_REGION": " eu-1\n"}, "https://api.eu-1.acme.example/v1"),
    ("default", DEFAULT, {}, "https://us.acme.example"),
    ("over the default", DEFAULT, {"ACME_REGION": "eu"}, "https://eu.acme.example"),
    (
        "two",
        ACCOUNT,
        {"ACME_ACCOUNT": "a_1", "ACME_PROJECT": "acme.example:old"},
        "https://acme.example/accounts/a_1/projects/acme.example:old",
    ),
    ("a host", HOST, {"ACME_HOST": "dbc-1.acme.example"}, "https://dbc-1.acme.example/serving"),
    ("a host with a scheme", HOST, {"ACME_HOST": "https://dbc-1.acme.example/"}, "https://dbc-1.acme.example/serving"),
    ("a server nearby", HOST, {"ACME_HOST": "http://localhost:80/a"}, "http://localhost:80/a/serving"),
]


@pytest.mark.parametrize("case", FILLED, ids=[case[0] for case in FILLED])
def test_placeholders_are_filled_from_variables(case: tuple[str, str, dict[str, str], str]) -> None:
    _, base_url, variables, expected = case
    assert fill_address(row(base_url), variables.get) == expected


@pytest.mark.parametrize(
    ("region", "expected"),
    [("all", "https://api.acme.example/v1"), ("eu", "https://eu-api.acme.example/v1")],
)
def test_a_host_that_departs_from_the_form_is_replaced(region: str, expected: str) -> None:
    provider = row("https://{ACME_REGION}-api.acme.example/v1", hosts=GLOBAL)
    assert fill_address(provider, {"ACME_REGION": region}.get) == expected


WRONG: list[tuple[str, str, dict[str, str], str]] = [
    ("not set", REGION, {}, "acme needs ACME_REGION or ACME_DEFAULT_REGION for its address: set ACME_REGION, or pass"),
    ("not set, one of two", ACCOUNT, {"ACME_ACCOUNT": "a"}, "acme needs ACME_PROJECT for its address"),
    ("another path", ACCOUNT, {"ACME_ACCOUNT": "a/../b", "ACME_PROJECT": "p"}, "ACME_ACCOUNT, for the address of acme"),
    ("another host", REGION, {"ACME_REGION": "x@evil.example"}, "holds what cannot stand in a URL"),
    ("a query", REGION, {"ACME_REGION": "evil.example?"}, "holds what cannot stand in a URL"),
    ("a line end", REGION, {"ACME_REGION": "a\nb"}, "holds what cannot stand in a URL"),
    ("an address in the middle", REGION, {"ACME_REGION": "https://evil.example"}, "holds what cannot stand in a URL"),
    (
        "an address with a query",
        HOST,
        {"ACME_HOST": "https://dbc-1.acme.example/?o=1"},
        "ACME_HOST, for the address of",
    ),
    ("one with a fragment", HOST, {"ACME_HOST": "https://dbc-1.acme.example/#a"}, "holds what cannot stand in a URL"),
    ("small letters", "https://{region}.acme.example", {"region": "eu"}, "holds a brace that is no {VARIABLE}"),
    ("unclosed", "https://{ACME_REGION.acme.example", {}, "holds a brace"),
]


@pytest.mark.parametrize("case", WRONG, ids=[case[0] for case in WRONG])
def test_what_cannot_be_filled_is_a_config_error_that_names_the_variable(
    case: tuple[str, str, dict[str, str], str],
) -> None:
    _, base_url, variables, message = case
    with pytest.raises(ConfigError, match=message):
        fill_address(row(base_url), variables.get)


def test_an_endpoint_is_at_the_address_that_the_environment_completes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ACME_REGION", "eu-1")
    assert Endpoint(row(REGION)).host == "api.eu-1.acme.example"
    monkeypatch.setenv("ACME_REGION", "eu:1")
    with pytest.raises(ConfigError, match=r"the base URL of acme \(acme\) is no URL"):
        Endpoint(row(REGION))
    assert Endpoint(row(REGION), base_url="https://other.example").host == "other.example"
