"""Signatures for Bedrock: what is signed, with which credentials, for which region, and what is said without them."""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import quote

import anyio
import pytest
from anyio.abc import SocketAttribute, SocketStream

from streamkit.client import Client
from streamkit.credentials.aws import AWSSignature, lookup
from streamkit.endpoint import Endpoint
from streamkit.errors import AuthenticationError, ConfigError, TransportError
from streamkit.messages import Message
from streamkit.protocols import EncodedRequest, Request
from streamkit.providers import get_provider
from streamkit.testing import Answer, Received, ReplayServer, Reply
from tests.credentials.conftest import ID, SECRET, SESSION
from tests.exposure import shown

auth = pytest.importorskip("botocore.auth", reason="the extra `bedrock` is not installed")
awsrequest = pytest.importorskip("botocore.awsrequest", reason="the extra `bedrock` is not installed")
botocore_credentials = pytest.importorskip("botocore.credentials", reason="the extra `bedrock` is not installed")

HAIKU = "us.anthropic.claude-haiku-4-5-20251001-v1:0"
ARN = "arn:aws:bedrock:us-east-1:123456789012:inference-profile/us.anthropic.claude-haiku-4-5-20251001-v1:0"
HOST = "https://bedrock-runtime.eu-central-1.amazonaws.com"
BEDROCK = get_provider("bedrock")


pytestmark = pytest.mark.usefixtures("account")


def signed_by_botocore(
    monkeypatch: pytest.MonkeyPatch, method: str, url: str, headers: dict[str, str], body: bytes, region: str
) -> dict[str, str]:
    """The headers that botocore's own signer gives a request, at the time that `headers` says."""
    when = datetime.strptime(headers["x-amz-date"], "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC)
    token = headers.get("x-amz-security-token")
    request = awsrequest.AWSRequest(method, url, data=body, headers={"content-type": headers["content-type"]})
    with monkeypatch.context() as patch:
        patch.setattr(auth, "get_current_datetime", lambda: when)
        auth.SigV4Auth(botocore_credentials.Credentials(ID, SECRET, token), "bedrock", region).add_auth(request)
    return {name.lower(): value for name, value in request.headers.items()}


def assert_signed(
    monkeypatch: pytest.MonkeyPatch, server: ReplayServer, request: Received, region: str = "eu-central-1"
) -> None:
    expected = signed_by_botocore(
        monkeypatch, request.method, f"{server.url}{request.path}", request.headers, request.body, region
    )
    assert request.headers["authorization"] == expected["authorization"]


MODELS = [
    ("a model with a colon", HAIKU, "/model/us.anthropic.claude-haiku-4-5-20251001-v1%3A0/converse-stream"),
    (
        "an ARN with a slash",
        ARN,
        f"/model/{quote(ARN, safe='')}/converse-stream",
    ),
]


@pytest.mark.parametrize("token", [SESSION, None], ids=["session token", "no session token"])
@pytest.mark.parametrize(("model", "path"), [case[1:] for case in MODELS], ids=[case[0] for case in MODELS])
async def test_what_is_sent_is_what_botocore_signs(
    model: str, path: str, token: str | None, account: pytest.MonkeyPatch
) -> None:
    if token is None:
        account.delenv("AWS_SESSION_TOKEN")
    async with ReplayServer(Answer(["Grüezi"])) as server:
        async with Client(f"bedrock/{model}", base_url=server.url) as client:
            assert (await client.send("Grüß Gott — ☃")).message.text == "Grüezi"
    [request] = server.requests
    assert request.path == path
    assert request.headers.get("x-amz-security-token") == token
    names = ["content-type", "host", "x-amz-date"] + ["x-amz-security-token"] * (token is not None)
    assert f"SignedHeaders={';'.join(names)}," in request.headers["authorization"]
    assert (
        f"Credential={ID}/{request.headers['x-amz-date'][:8]}/eu-central-1/bedrock/aws4_request,"
        in (request.headers["authorization"])
    )
    assert_signed(account, server, request)


# Made by botocore 1.44.8, `SigV4Auth(…, "bedrock", "us-west-2").add_auth`, at 2026-11-30 00:00:00 UTC.
VECTORS = [
    ("colon", HAIKU, "5f81e4649a2369f3d44aac5aa02a36775f251adc5dc44d0fcf4e6056f110347b"),
    ("ARN", ARN, "b326ea1824f367ef291182ca00ba5d7688f9faa46adbdc5c6b75f6b1f1b81ada"),
]


@pytest.mark.parametrize(("model", "signature"), [case[1:] for case in VECTORS], ids=[case[0] for case in VECTORS])
async def test_a_signature_is_that_of_the_vector(model: str, signature: str, account: pytest.MonkeyPatch) -> None:
    class Midnight(datetime):
        @classmethod
        def now(cls, tz: Any = None) -> datetime:
            assert tz is UTC
            return datetime(2026, 11, 30, tzinfo=UTC)

    account.setattr("streamkit.credentials.aws.datetime", Midnight)
    endpoint = Endpoint(BEDROCK, base_url="https://bedrock-runtime.us-west-2.amazonaws.com")
    encoded = BEDROCK.get_protocol().encode(Request(model=model, messages=[Message("user", "hi")]))
    signed = await AWSSignature(endpoint)(None, endpoint, encoded, b'{"messages":[]}')
    assert signed.headers(encoded)["authorization"].endswith(f"Signature={signature}".encode())


async def test_the_clock_is_in_utc_wherever_the_machine_stands(account: pytest.MonkeyPatch) -> None:
    account.setenv("TZ", "Asia/Seoul")
    time.tzset()
    try:
        async with ReplayServer(Answer(["Hi"])) as server, Client(f"bedrock/{HAIKU}", base_url=server.url) as client:
            await client.send("Hello")
    finally:
        account.delenv("TZ")
        time.tzset()
    sent = datetime.strptime(server.requests[0].headers["x-amz-date"], "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC)
    assert abs(datetime.now(UTC) - sent) < timedelta(minutes=1)


async def test_headers_of_the_callers_for_aws_are_signed_with_the_rest(account: pytest.MonkeyPatch) -> None:
    headers = {"X-Amz-Trace": "t-1", "X-Title": "demo"}
    async with ReplayServer(Answer(["Hi"])) as server:
        async with Client(f"bedrock/{HAIKU}", base_url=server.url, headers=headers) as client:
            await client.send("Hello")
    sent = server.requests[0].headers
    assert "SignedHeaders=content-type;host;x-amz-date;x-amz-security-token;x-amz-trace," in sent["authorization"]
    assert (sent["x-amz-trace"], sent["x-title"]) == ("t-1", "demo")


@pytest.mark.parametrize("how", ["argument", "environment", "function"])
async def test_a_key_goes_alone_without_a_signature(how: str, account: pytest.MonkeyPatch) -> None:
    keys: dict[str, Any] = {"argument": "key-1", "function": lambda: "key-1", "environment": None}
    if how == "environment":
        account.setenv("AWS_BEARER_TOKEN_BEDROCK", "key-1")
    async with ReplayServer(Answer(["Hi"])) as server:
        async with Client(f"bedrock/{HAIKU}", api_key=keys[how], base_url=server.url) as client:
            await client.send("Hello")
    sent = server.requests[0].headers
    assert sent["authorization"] == "Bearer key-1"
    assert not [name for name in sent if name.startswith("x-amz")]


async def test_a_request_that_is_sent_again_is_signed_again(account: pytest.MonkeyPatch) -> None:
    hours = iter(range(24))

    class Hourly(datetime):
        @classmethod
        def now(cls, tz: Any = None) -> datetime:
            return datetime(2026, 11, 30, next(hours), tzinfo=UTC)

    requests: list[bytes] = []

    async def drop(stream: SocketStream) -> None:
        async with stream:
            requests.append(await stream.receive())

    account.setattr("streamkit.credentials.aws.datetime", Hourly)
    listener = await anyio.create_tcp_listener(local_host="127.0.0.1")
    url = f"http://127.0.0.1:{listener.extra(SocketAttribute.local_port)}"
    async with (
        listener,
        anyio.create_task_group() as tasks,
        Client(f"bedrock/{HAIKU}", base_url=url, retry=0) as client,
    ):
        tasks.start_soon(listener.serve, drop)
        with pytest.raises(TransportError):  # a connection that was lost at once is replaced, once
            await client.send("Hello")
        tasks.cancel_scope.cancel()
    assert [re.findall(rb"x-amz-date: (\w+)", request) for request in requests] == [
        [b"20261130T000000Z"],
        [b"20261130T010000Z"],
    ]


# ---- where the credentials come from


async def test_a_profile_gives_credentials_and_region(account: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AWS_REGION"):
        account.delenv(name)
    account.setenv("AWS_PROFILE", "work")
    (tmp_path / "config").write_text("[profile work]\nregion = ap-northeast-2\n")
    (tmp_path / "credentials").write_text(f"[work]\naws_access_key_id = {ID}\naws_secret_access_key = {SECRET}\n")
    assert "bedrock-runtime.ap-northeast-2.amazonaws.com" in repr(Client(f"bedrock/{HAIKU}"))
    async with ReplayServer(Answer(["Hi"])) as server, Client(f"bedrock/{HAIKU}", base_url=server.url) as client:
        await client.send("Hello")
    assert_signed(account, server, server.requests[0], "ap-northeast-2")


def expiring(seconds: float) -> str:
    return (datetime.now(UTC) + timedelta(seconds=seconds)).strftime("%Y-%m-%dT%H:%M:%SZ")


async def test_credentials_that_expire_are_fetched_again(account: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"):
        account.delenv(name)
    program = tmp_path / "credentials.py"
    count = tmp_path / "count"
    program.write_text(
        "import json, pathlib\n"
        f"count = pathlib.Path({str(count)!r})\n"
        "number = len(count.read_text()) if count.exists() else 0\n"
        "count.write_text('x' * (number + 1))\n"
        f"print(json.dumps(dict(Version=1, AccessKeyId={ID!r}, SecretAccessKey={SECRET!r},\n"
        f"    SessionToken=f'token-{{number}}', Expiration={expiring(60)!r})))\n"
    )
    (tmp_path / "config").write_text(f"[default]\ncredential_process = {sys.executable} -I -S {program}\n")
    async with ReplayServer(Answer(["Hi"])) as server, Client(f"bedrock/{HAIKU}", base_url=server.url) as client:
        await client.send("Hello")
        await client.send("Hello")
    tokens = [request.headers["x-amz-security-token"] for request in server.requests]
    assert len(set(tokens)) == 2
    for request in server.requests:
        assert_signed(account, server, request)


# ---- the region

REGIONS = [
    ("of the host", "https://bedrock-runtime.us-west-2.amazonaws.com", "us-west-2"),
    ("of the host for FIPS", "https://bedrock-runtime-fips.us-gov-west-1.amazonaws.com", "us-gov-west-1"),
    ("of the host in China", "https://bedrock-runtime.cn-north-1.amazonaws.com.cn", "cn-north-1"),
    ("of the host of a VPC", "https://vpce-1-a.bedrock-runtime.us-east-2.vpce.amazonaws.com", "us-east-2"),
    ("of the other door", "https://bedrock-mantle.us-east-1.api.aws", "us-east-1"),
    ("of the environment", "https://proxy.example/bedrock", "eu-central-1"),
    ("of the row", None, "eu-central-1"),
]


@pytest.mark.parametrize(("base_url", "region"), [case[1:] for case in REGIONS], ids=[case[0] for case in REGIONS])
async def test_the_region_is_that_of_the_address_or_of_the_environment(base_url: str | None, region: str) -> None:
    endpoint = Endpoint(BEDROCK, base_url=base_url)
    encoded = EncodedRequest("/model/m/converse-stream", {})
    signed = await AWSSignature(endpoint)(None, endpoint, encoded, b"{}")
    assert f"/{region}/bedrock/aws4_request" in str(signed.headers(encoded)["authorization"])


def test_only_the_variables_of_aws_are_needed(account: pytest.MonkeyPatch) -> None:
    account.delenv("AWS_REGION")
    account.setenv("AWS_DEFAULT_REGION", "eu-west-3")
    assert repr(Client(f"bedrock/{HAIKU}")) == (
        f"<Client {HAIKU!r} of bedrock at https://bedrock-runtime.eu-west-3.amazonaws.com>"
    )


def test_the_environment_comes_before_the_profile(account: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "config").write_text("[default]\nregion = ap-northeast-2\n")
    assert lookup("AWS_REGION") == "eu-central-1"
    assert lookup("AWS_DEFAULT_REGION") == "ap-northeast-2"
    assert not lookup("AWS_NONSENSE")


# ---- what is said


def without_credentials(patch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"):
        patch.delenv(name)


def with_a_profile_that_is_not_there(patch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    patch.setenv("AWS_PROFILE", "nowhere")


def with_half_of_a_key(patch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    patch.delenv("AWS_SECRET_ACCESS_KEY")


def with_a_program_that_fails(patch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    without_credentials(patch, tmp_path)
    (tmp_path / "config").write_text("[default]\ncredential_process = false\n")


def with_a_role_that_nobody_answers_for(patch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    without_credentials(patch, tmp_path)
    patch.setenv("AWS_ENDPOINT_URL_STS", "http://127.0.0.1:1")
    patch.setenv("AWS_MAX_ATTEMPTS", "1")
    patch.setenv("AWS_ROLE_ARN", "arn:aws:iam::123456789012:role/r")
    patch.setenv("AWS_WEB_IDENTITY_TOKEN_FILE", str(tmp_path / "token"))
    (tmp_path / "token").write_text("a-token")


FAILURES: list[tuple[Callable[[pytest.MonkeyPatch, Path], None], type[Exception], str]] = [
    (without_credentials, ConfigError, "neither a key nor AWS credentials for bedrock: set AWS_BEARER_TOKEN_BEDROCK"),
    (with_a_profile_that_is_not_there, ConfigError, "cannot be used .ProfileNotFound: .*nowhere"),
    (with_half_of_a_key, ConfigError, "cannot be used .PartialCredentialsError"),
    (with_a_program_that_fails, ConfigError, "cannot be used .CredentialRetrievalError"),
    (with_a_role_that_nobody_answers_for, TransportError, "could not be fetched .EndpointConnectionError"),
]


@pytest.mark.parametrize(
    ("set_up", "kind", "message"), FAILURES, ids=[case[0].__name__.replace("_", " ") for case in FAILURES]
)
async def test_a_request_without_usable_credentials_says_what_is_wrong(
    set_up: Callable[[pytest.MonkeyPatch, Path], None],
    kind: type[Exception],
    message: str,
    account: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    set_up(account, tmp_path)
    client = Client(f"bedrock/{HAIKU}", base_url="http://127.0.0.1:1", retry=0)
    async with client:
        with pytest.raises(kind, match=message) as caught:
            await client.send("Hello")
    assert SECRET not in shown(caught.value)


def test_without_a_region_there_is_no_address(account: pytest.MonkeyPatch) -> None:
    account.delenv("AWS_REGION")
    with pytest.raises(ConfigError, match="bedrock needs AWS_REGION or AWS_DEFAULT_REGION for its address"):
        Client(f"bedrock/{HAIKU}")
    with pytest.raises(ConfigError, match="a request to bedrock is signed for a region: set AWS_REGION"):
        Client(f"bedrock/{HAIKU}", base_url="https://proxy.example")


def test_without_botocore_the_extra_is_named_but_a_key_is_enough(account: pytest.MonkeyPatch) -> None:
    account.setattr("streamkit.credentials.aws.find_spec", lambda name: None)
    with pytest.raises(ConfigError, match=r"streamkit\[bedrock\]' elsewhere; or set AWS_BEARER_TOKEN_BEDROCK"):
        Client(f"bedrock/{HAIKU}")
    Client(f"bedrock/{HAIKU}", api_key="key-1")


async def test_nothing_shows_the_secrets(account: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    said = f'{{"message":"The Canonical String should have been x-amz-security-token:{SESSION}"}}'
    reply = Reply(status=403, body=said.encode(), headers={"x-amzn-errortype": "InvalidSignatureException"})
    async with ReplayServer(reply) as server, Client(f"bedrock/{HAIKU}", base_url=server.url) as client:
        with caplog.at_level("DEBUG"), pytest.raises(AuthenticationError) as caught:
            await client.send("Hello")
        text = f"{client!r} {vars(client)} {vars(client._endpoint)} {vars(client._authorize)} {caplog.text}"
    for secret in (SECRET, SESSION, server.requests[0].headers["authorization"]):
        assert secret not in text
        assert secret not in shown(caught.value)
