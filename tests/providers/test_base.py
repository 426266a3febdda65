"""A vendor as a row of data."""

from __future__ import annotations

import msgspec
import pytest

from streamkit.errors import ConfigError
from streamkit.messages import Message
from streamkit.protocols import Quirks, Request, get_protocol
from streamkit.providers import Provider, get_provider


def test_a_row_leads_to_its_dialect() -> None:
    assert get_provider("anthropic").get_protocol() is get_protocol("anthropic")
    with pytest.raises(ConfigError, match="unknown protocol 'x'"):
        Provider(name="acme", protocol="x").get_protocol()


def test_its_parser_has_its_name_and_its_quirks_unless_told_otherwise() -> None:
    row = Provider(name="acme", protocol="anthropic", quirks=Quirks(think_tags=True))
    parser = row.parser()
    assert (parser.protocol, parser.provider, parser.quirks) == ("anthropic", "acme", row.quirks)
    assert row.parser(quirks=Quirks()).quirks == Quirks()


def test_a_server_that_speaks_another_dialect_too_is_a_row_of_its_own() -> None:
    server = Provider(
        name="llamacpp",
        protocol="anthropic",
        base_url="http://localhost:8080",
        key_optional=True,
        quirks=Quirks(unsigned_thinking=True),
    )
    request = Request(model="m", messages=[Message("user", "hi")], provider=server.name)
    assert server.get_protocol().encode(request, server.quirks).path == "/v1/messages"


def test_a_row_is_data() -> None:
    row = get_provider("mistral")
    assert msgspec.json.decode(msgspec.json.encode(row), type=Provider) == row
