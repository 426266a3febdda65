from __future__ import annotations

import traceback

import pytest

from streamkit.errors import APIError, AuthenticationError, ConfigError, ProtocolError, StreamkitError, TransportError
from streamkit.keys import Secret, check_header, find_key, scrub_error

KEY = "sk-live-0123456789abcdef"


def reveal(secret: Secret | None) -> str | None:
    return None if secret is None else secret.reveal()


CASES = [
    ("argument", KEY, None, False, KEY),
    ("argument before the environment", KEY, "sk-other", False, KEY),
    ("environment", None, KEY, False, KEY),
    ("white space around it", f" {KEY}\r\n", None, False, KEY),
    ("white space in the environment", None, f"{KEY}\n", False, KEY),
    ("latin-1", "clé-0123456789", None, False, "clé-0123456789"),
    ("none needed", None, None, True, None),
    ("none needed, empty", "", None, True, None),
    ("none needed, given all the same", KEY, None, True, KEY),
]


@pytest.mark.parametrize(
    ("given", "environment", "optional", "expected"), [case[1:] for case in CASES], ids=[case[0] for case in CASES]
)
def test_a_key_is_found(
    monkeypatch: pytest.MonkeyPatch, given: str | None, environment: str | None, optional: bool, expected: str | None
) -> None:
    monkeypatch.delenv("ACME_API_KEY", raising=False)
    if environment is not None:
        monkeypatch.setenv("ACME_API_KEY", environment)
    assert reveal(find_key(given, provider="acme", variable="ACME_API_KEY", optional=optional)) == expected


def test_a_provider_without_a_variable_needs_no_key() -> None:
    assert find_key(None, provider="acme", variable="", optional=False) is None


REFUSED = [
    ("missing", None, "no key for acme: set ACME_API_KEY, or in code pass api_key="),
    ("empty", "", r"key for acme \(api_key\) is empty"),
    ("blank", " \n", r"key for acme \(api_key\) is empty"),
    ("line end inside", f"{KEY}\nx-evil: 1", "holds a line end or another control character"),
    ("carriage return inside", f"{KEY}\rx", "holds a line end or another control character"),
    ("NUL", f"{KEY}\0x", "holds a line end or another control character"),
    ("curly quotes", f"“{KEY}”", "holds a character that no HTTP header can"),
    ("other script", f"{KEY}ключ", "holds a character that no HTTP header can"),
    ("no string", KEY.encode(), "must be a string, or a function that returns one, not bytes"),
]


@pytest.mark.parametrize(("given", "message"), [case[1:] for case in REFUSED], ids=[case[0] for case in REFUSED])
def test_a_key_that_cannot_be_sent_is_refused_without_being_shown(
    monkeypatch: pytest.MonkeyPatch, given: str | None, message: str
) -> None:
    monkeypatch.delenv("ACME_API_KEY", raising=False)
    with pytest.raises(ConfigError, match=message) as caught:
        find_key(given, provider="acme", variable="ACME_API_KEY", optional=False)
    assert KEY not in "".join(traceback.format_exception(caught.value))
    assert caught.value.__context__ is None


def test_an_error_about_the_environment_names_the_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ACME_API_KEY", "a\nb")
    with pytest.raises(ConfigError, match="ACME_API_KEY"):
        find_key(None, provider="acme", variable="ACME_API_KEY", optional=False)


def test_a_secret_shows_itself_in_no_text() -> None:
    secret = Secret(KEY)
    assert KEY not in f"{secret} {secret!r} {[secret]} {vars(type(secret))}"


def test_a_header_that_can_be_sent_passes() -> None:
    check_header("the header x-title", "Café no. 1")


ECHOES: list[tuple[str, StreamkitError]] = [
    ("transport", TransportError(f"broke at {KEY}")),
    ("api", AuthenticationError(f"bad key {KEY}", code=KEY, type=KEY, request_id=KEY, body=f'{{"key":"{KEY}"}}')),
    ("protocol, bytes", ProtocolError("no JSON", frame=f"x {KEY}".encode())),
    ("protocol, text", ProtocolError("no JSON", frame=f"x {KEY}")),
]


@pytest.mark.parametrize("error", [case[1] for case in ECHOES], ids=[case[0] for case in ECHOES])
def test_an_echoed_key_is_taken_out_of_all_that_an_error_shows(error: StreamkitError) -> None:
    with pytest.raises(type(error)):
        raise error
    scrub_error(error, [KEY])
    assert error.__traceback__ is None
    assert KEY not in f"{error!r} {error} {vars(error)}"
    assert "[redacted]" in str(error)


def test_no_error_keeps_what_holds_the_text_as_it_came() -> None:
    with pytest.raises(ProtocolError) as caught:
        try:
            raise ValueError(f"as it came: {KEY}")
        except ValueError:
            raise ProtocolError("no JSON") from None
    scrub_error(caught.value, [KEY])
    assert caught.value.__traceback__ is caught.value.__context__ is caught.value.__cause__ is None


def test_an_error_without_the_key_stays_as_it_is() -> None:
    error = ProtocolError("no JSON", frame=b"\xff{")
    scrub_error(error, [KEY])
    assert error.frame == b"\xff{"
    other = APIError("no", body="text", code=None)
    scrub_error(other, [])
    assert (other.body, other.code) == ("text", None)
