"""A vendor as a row of data."""

from __future__ import annotations

import msgspec
import pytest

from streamkit.deltas import MessageStart
from streamkit.errors import ConfigError
from streamkit.messages import Message
from streamkit.protocols import Quirks, Request, get_protocol
from streamkit.providers import Provider, get_provider
from streamkit.providers.base import SCHEMES
from streamkit.testing.answers import Answer
from streamkit.testing.outcome import read_pieces
from streamkit.testing.scripts import render


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


AUTHS = [
    ("authorization", "", False, ("authorization", "Bearer k")),
    ("Authorization", "", False, ("authorization", "Bearer k")),
    ("X-Api-Key", "", False, ("x-api-key", "k")),
    ("x-api-key", "", True, ("x-api-key", "k")),
    ("api-key", "authorization", False, ("api-key", "k")),
    ("api-key", "authorization", True, ("authorization", "Bearer k")),
    *((scheme, "", is_token, ("authorization", "Bearer k")) for scheme in SCHEMES for is_token in (False, True)),
]


@pytest.mark.parametrize(("auth", "token_auth", "is_token", "header"), AUTHS)
def test_a_row_says_which_header_carries_a_key_and_which_a_token(
    auth: str, token_auth: str, is_token: bool, header: tuple[str, str]
) -> None:
    row = Provider(name="acme", protocol="openai-chat", auth=auth, token_auth=token_auth)
    assert row.auth_header("k", is_token=is_token) == header


def test_a_row_may_have_a_framing_of_its_own() -> None:
    row = Provider(name="acme", protocol="anthropic", framing="ndjson")
    assert [row.parser().is_sse, row.parser(framing=None).is_sse, row.parser(framing="sse").is_sse] == [0, 0, 1]
    assert Provider(name="acme", protocol="anthropic").parser().is_sse


def test_a_row_is_data() -> None:
    row = get_provider("mistral")
    assert msgspec.json.decode(msgspec.json.encode(row), type=Provider) == row


def test_a_recorded_body_is_read_in_the_dialect_of_the_vendor_that_it_is_in() -> None:
    row = get_provider("xai")
    for protocol in ("openai-chat", "openai-responses"):
        outcome = read_pieces([render(Answer(["Hi."]), protocol)], row.parser())
        start = next(delta for delta in outcome.deltas if isinstance(delta, MessageStart))
        assert (start.protocol, start.provider) == (protocol, "xai")
        assert (outcome.outputs[0].message.text, outcome.error) == ("Hi.", None)


def test_a_mode_names_the_dialect_that_has_it() -> None:
    assert type(get_provider("xai").parser(mode="cumulative")) is type(get_protocol("openai-chat").parser())
