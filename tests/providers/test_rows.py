"""The rows of the vendors: what each must have. What each sends and reads is in test_streams.py."""

from __future__ import annotations

import pytest

from streamkit.protocols import Request
from streamkit.protocols.quirks import CHOICES
from streamkit.providers import PROVIDERS, Provider, get_provider
from streamkit.providers.base import SCHEMES

ROWS = [get_provider(name) for name in PROVIDERS]

rows = pytest.mark.parametrize("row", ROWS, ids=PROVIDERS)


@rows
def test_a_vendor_is_reached_at_its_address(row: Provider) -> None:
    if not row.base_url:
        assert row.env_base_url
    elif row.key_optional:
        assert row.base_url.startswith("http://localhost:")
    else:
        assert row.base_url.startswith(("https://", "{"))
    assert not row.base_url.endswith("/")


@rows
def test_a_vendor_has_a_key_which_a_local_server_may_do_without(row: Provider) -> None:
    assert row.key_variable.isupper() or row.auth == "google"  # whose tokens have no variable
    assert row.key_optional == row.base_url.startswith("http://localhost:")
    assert row.auth in ("authorization", "x-api-key", "api-key", "x-goog-api-key", *SCHEMES)


@rows
def test_the_names_in_a_row_are_those_of_request_fields(row: Provider) -> None:
    assert set(row.quirks.unsupported) <= set(Request.__struct_fields__)
    assert set(row.quirks.tool_choices) <= set(CHOICES)
