from __future__ import annotations

import logging

import pytest
from msgspec import structs

from streamkit import endpoint as endpoint_module
from streamkit.endpoint import Endpoint
from streamkit.errors import ConfigError
from streamkit.keys import Secret
from streamkit.protocols import EncodedRequest
from streamkit.providers import Provider, get_provider

KEY = "sk-live-0123456789abcdef"
REQUEST = EncodedRequest("/chat/completions", {})
ACME = Provider(
    name="acme",
    protocol="openai-chat",
    base_url="https://api.acme.example/v1",
    key_variable="ACME_API_KEY",
    env_base_url="ACME_BASE_URL",
    headers={"X-Version": "1"},
)


def endpoint(base_url: str | None = None, provider: Provider = ACME, **options: object) -> Endpoint:
    return Endpoint(provider, **{"api_key": KEY, "base_url": base_url, **options})


@pytest.fixture(autouse=True)
def no_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("ACME_API_KEY", "ACME_BASE_URL", "AZURE_OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)


URLS = [
    ("of the row", None, "/chat/completions", "https://api.acme.example/v1/chat/completions"),
    ("given", "https://other.example/v2", "/chat/completions", "https://other.example/v2/chat/completions"),
    ("without a path", "https://other.example", "/v1/messages", "https://other.example/v1/messages"),
    ("trailing slash", "https://other.example/v2/", "/chat/completions", "https://other.example/v2/chat/completions"),
    ("white space", " https://other.example \n", "/v1/messages", "https://other.example/v1/messages"),
    ("query", "https://a.example/d?api-version=1", "/chat", "https://a.example/d/chat?api-version=1"),
    ("query after a slash", "https://a.example/d/?v=1", "/chat", "https://a.example/d/chat?v=1"),
    ("query of both", "https://a.example?v=1", "/chat?alt=sse", "https://a.example/chat?v=1&alt=sse"),
    ("query of the path", "https://a.example", "/chat?alt=sse", "https://a.example/chat?alt=sse"),
    ("port", "http://127.0.0.1:8080/v1", "/chat", "http://127.0.0.1:8080/v1/chat"),
    ("IPv6", "http://[::1]:8080", "/chat", "http://[::1]:8080/chat"),
    ("capitals", "HTTPS://API.Example/V1", "/chat", "https://API.Example/V1/chat"),
    ("escapes", "https://a.example/b%2Fc", "/chat", "https://a.example/b%2Fc/chat"),
]


@pytest.mark.parametrize(("base_url", "path", "expected"), [case[1:] for case in URLS], ids=[case[0] for case in URLS])
def test_the_path_of_a_request_goes_below_the_base_url(base_url: str | None, path: str, expected: str) -> None:
    assert endpoint(base_url).url(EncodedRequest(path, {})) == expected


def test_the_environment_overrides_the_row_and_the_argument_overrides_both(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ACME_BASE_URL", "https://proxy.example/v1")
    assert endpoint().host == "proxy.example"
    assert endpoint("https://other.example").host == "other.example"
    monkeypatch.setenv("ACME_BASE_URL", " ")
    assert endpoint().host == "api.acme.example"


BAD_URLS = [
    ("scheme", "ftp://a.example", "must begin with https:// or http://"),
    ("no scheme", "a.example/v1", "must begin with https:// or http://"),
    ("file", "file:///etc/passwd", "must begin with https:// or http://"),
    ("empty", "", "must begin with https:// or http://"),
    ("no host", "https:///v1", "names no host"),
    ("user", "https://user@a.example", "holds a user name or password"),
    ("password", f"https://user:{KEY}@a.example", "holds a user name or password"),
    ("fragment", "https://a.example/#x", "holds a fragment"),
    ("line end", "https://a.example/\nx", "holds white space or a control character"),
    ("space", "https://a.example/a b", "holds white space or a control character"),
    ("port", "https://a.example:http", "is no URL"),
    ("bracket", "https://[::1", "is no URL"),
    ("key in the query", f"https://a.example/v1?key={KEY}", "holds the key"),
]


@pytest.mark.parametrize(("base_url", "message"), [case[1:] for case in BAD_URLS], ids=[case[0] for case in BAD_URLS])
def test_a_wrong_base_url_is_refused_and_not_shown(base_url: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message) as caught:
        endpoint(base_url)
    assert KEY not in str(caught.value)


def test_a_wrong_base_url_in_the_environment_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ACME_BASE_URL", "acme.example")
    with pytest.raises(ConfigError, match="ACME_BASE_URL"):
        endpoint()


def test_a_provider_without_an_address_of_its_own_asks_for_one() -> None:
    with pytest.raises(ConfigError, match="azure has no address of its own: pass base_url=, or set AZURE_OPENAI_BASE"):
        endpoint(provider=get_provider("azure"))


HEADERS = [
    ("bearer", "authorization", {}, {}, {"authorization": f"Bearer {KEY}", "x-version": "1"}),
    ("bare", "x-api-key", {}, {}, {"x-api-key": KEY, "x-version": "1"}),
    ("of the request", "api-key", {"X-Version": "2"}, {}, {"api-key": KEY, "x-version": "2"}),
    ("of the caller", "api-key", {"x-version": "2"}, {"X-VERSION": "3"}, {"api-key": KEY, "x-version": "3"}),
    (
        "the caller's key",
        "authorization",
        {},
        {"Authorization": "Token t"},
        {"authorization": "Token t", "x-version": "1"},
    ),
]


@pytest.mark.parametrize(
    ("auth", "encoded", "given", "expected"), [case[1:] for case in HEADERS], ids=[case[0] for case in HEADERS]
)
def test_the_headers_of_a_request(
    auth: str, encoded: dict[str, str], given: dict[str, str], expected: dict[str, str]
) -> None:
    provider = Provider(
        name="acme", protocol="openai-chat", base_url="https://a.example", auth=auth, headers=ACME.headers
    )
    headers = endpoint(provider=provider, headers=given).headers(EncodedRequest("/", {}, encoded))
    assert headers == {name: value.encode() for name, value in expected.items()}


def test_what_lets_one_request_in_takes_the_place_of_the_key_and_is_a_secret() -> None:
    whole = endpoint(headers={"x-a": "1"})
    one = whole.authorized({"authorization": Secret("Bearer token-1"), "x-amz-date": Secret("20261130T000000Z")})
    assert one.headers(REQUEST) == {
        "authorization": b"Bearer token-1",
        "x-amz-date": b"20261130T000000Z",
        "x-version": b"1",
        "x-a": b"1",
    }
    assert set(one.secrets) == {KEY, "Bearer token-1", "token-1"}
    assert whole.headers(REQUEST)["authorization"] == f"Bearer {KEY}".encode()
    assert "token-1" not in f"{one!r} {vars(one)}"


@pytest.mark.parametrize("auth", ["aws-sigv4", "google"])
def test_a_clouds_scheme_needs_no_key_and_sends_one_as_it_is(auth: str) -> None:
    row = structs.replace(ACME, auth=auth)
    assert "authorization" not in Endpoint(row).headers(REQUEST)
    assert Endpoint(row, api_key=KEY).headers(REQUEST)["authorization"] == f"Bearer {KEY}".encode()


def test_a_key_that_is_exchanged_is_never_sent_to_the_provider() -> None:
    row = structs.replace(ACME, auth="ibm-iam")
    assert "authorization" not in Endpoint(row, api_key=KEY).headers(REQUEST)
    with pytest.raises(ConfigError, match="no key for acme"):
        Endpoint(row)


def test_a_prefix_stands_between_any_base_url_and_the_path(monkeypatch: pytest.MonkeyPatch) -> None:
    row = structs.replace(ACME, prefix="/projects/{ACME_PROJECT}")
    monkeypatch.setenv("ACME_PROJECT", "p-1")
    assert endpoint(provider=row).url(REQUEST) == "https://api.acme.example/v1/projects/p-1/chat/completions"
    assert endpoint("https://a.example/?v=1", row).url(REQUEST) == "https://a.example/projects/p-1/chat/completions?v=1"
    monkeypatch.delenv("ACME_PROJECT")
    with pytest.raises(ConfigError, match="acme needs ACME_PROJECT for its address: set ACME_PROJECT$"):
        endpoint("https://a.example", row)


def test_a_local_server_is_asked_without_a_key() -> None:
    assert "authorization" not in Endpoint(get_provider("llamacpp")).headers(REQUEST)


BAD_HEADERS = [
    ("line end", {"x-a": f"{KEY}\r\nx-b: 1"}, "the header x-a holds a line end"),
    ("other script", {"x-a": "ключ"}, "the header x-a holds a character"),
    ("name", {"x a": "1"}, "'x a' is no name of a header"),
    ("name with a line end", {"x\n": "1"}, "is no name of a header"),
    ("no string", {"x-a": 1}, "the header x-a must be a string, not int"),
]


@pytest.mark.parametrize(
    ("given", "message"), [case[1:] for case in BAD_HEADERS], ids=[case[0] for case in BAD_HEADERS]
)
def test_a_header_that_cannot_be_sent_is_refused_and_not_shown(given: dict[str, str], message: str) -> None:
    with pytest.raises(ConfigError, match=message) as caught:
        endpoint(headers=given)
    assert KEY not in str(caught.value)


def test_the_secrets_are_the_key_and_the_headers_that_carry_keys() -> None:
    given = {"Authorization": "Bearer tok-1", "X-Proxy-Key": "k-2", "Cookie": "c=3", "X-Title": "demo"}
    assert set(endpoint(headers=given).secrets) == {KEY, "Bearer tok-1", "tok-1", "k-2", "c=3"}


def test_repr_shows_the_address_and_neither_key_nor_query_nor_headers() -> None:
    text = repr(endpoint("https://a.example/v1?sig=s3cret", headers={"x-a": "hidden"}))
    assert text == "acme at https://a.example/v1"


PLAIN = [
    ("public name", "http://api.acme.example", True),
    ("public address", "http://93.184.216.34/v1", True),
    ("loopback", "http://127.0.0.1:8000", False),
    ("IPv6 loopback", "http://[::1]:8000", False),
    ("localhost", "http://localhost:8000", False),
    ("private", "http://192.168.1.5:8000", False),
    ("name without a dot", "http://vllm:8000", False),
    ("name of the network", "http://gpu.lan:8000", False),
    ("https", "https://api.acme.example", False),
]


@pytest.mark.parametrize(("base_url", "warns"), [case[1:] for case in PLAIN], ids=[case[0] for case in PLAIN])
def test_a_key_that_goes_unencrypted_to_a_public_host_is_logged(
    base_url: str, warns: bool, caplog: pytest.LogCaptureFixture
) -> None:
    endpoint_module._warn.cache_clear()
    with caplog.at_level(logging.WARNING, "streamkit"):
        endpoint(base_url)
        endpoint(base_url)
    assert caplog.text.count("unencrypted") == warns
    assert KEY not in caplog.text


def test_no_key_no_warning(caplog: pytest.LogCaptureFixture) -> None:
    Endpoint(get_provider("llamacpp"), base_url="http://llm.example")
    assert caplog.text == ""
