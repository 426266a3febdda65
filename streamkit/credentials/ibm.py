"""Access tokens of IBM Cloud, for which an API key is exchanged.

https://cloud.ibm.com/docs/account?topic=account-iamtoken_from_apikey, checked 2026-11-30.
"""

from __future__ import annotations

from time import monotonic
from urllib.parse import urlencode

import msgspec

from streamkit.endpoint import Endpoint
from streamkit.errors import AuthenticationError, InvalidRequest, PermissionDenied, ProtocolError, StreamkitError
from streamkit.keys import Secret, problem_of, scrub_error
from streamkit.limits import Limits
from streamkit.protocols import EncodedRequest
from streamkit.providers import Provider
from streamkit.timing import Timeouts, Timing
from streamkit.transport.exchange import open_exchange
from streamkit.transport.http_clients import HTTPClient

__all__ = ["IBMToken"]

URL = "https://iam.cloud.ibm.com"
GRANT = "urn:ibm:params:oauth:grant-type:apikey"
EARLY_S = 300.0  # a token is renewed that long before it expires; it lives for an hour
TIMEOUTS = Timeouts(connect_s=10.0, read_s=30.0)

_REQUEST = EncodedRequest(
    "/identity/token", {}, {"content-type": "application/x-www-form-urlencoded", "accept": "application/json"}
)


class _Token(msgspec.Struct):
    access_token: str
    expires_in: float


class IBMToken:
    """Gives each request a token, which is kept until shortly before it expires.

    The key goes to the row's `token_url` alone, by the http client of the request. Raises what a request raises:
    `AuthenticationError` where the key is refused.
    """

    def __init__(self, endpoint: Endpoint) -> None:
        provider = endpoint.provider
        self._key = endpoint.key or Secret("")
        self._iam = Endpoint(Provider(name=provider.name, protocol="", base_url=provider.token_url or URL))
        self._kept: dict[str, Secret] = {}
        self._until = 0.0

    async def __call__(self, http: HTTPClient, endpoint: Endpoint, encoded: EncodedRequest, body: bytes) -> Endpoint:
        if not self._kept or monotonic() >= self._until:
            fault = await self._renew(http)
            if fault is not None:
                scrub_error(fault, [self._key.reveal()])
                raise fault
        return endpoint.authorized(self._kept)

    async def _renew(self, http: HTTPClient) -> StreamkitError | None:
        """Get a token, or say why there is none; an error that was raised here would show the key."""
        asked = monotonic()
        limits = Limits()
        try:
            exchange = await open_exchange(
                http, self._iam, _REQUEST, self._form(), timeouts=TIMEOUTS, limits=limits, timing=Timing(), sse=False
            )
        except (InvalidRequest, PermissionDenied) as error:
            return AuthenticationError(
                f"IBM Cloud gives no token for the key: {error.message}",
                provider=error.provider,
                status=error.status,
                request_id=error.request_id,
                body=error.body,
            )
        except StreamkitError as error:
            return error
        try:
            answer = msgspec.json.decode(await exchange.read(limits.max_error_body_bytes), type=_Token)
        except msgspec.MsgspecError:
            return ProtocolError(f"{self._iam.host} answered without a token")  # its words may hold one
        finally:
            await exchange.aclose()
        if not answer.access_token or problem_of(answer.access_token):
            return ProtocolError(f"{self._iam.host} answered with a token that cannot be sent")
        self._kept = {"authorization": Secret(f"Bearer {answer.access_token}")}
        self._until = asked + answer.expires_in - EARLY_S
        return None

    def _form(self) -> bytes:
        return urlencode({"grant_type": GRANT, "apikey": self._key.reveal()}).encode()
