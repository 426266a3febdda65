"""Requests signed with the credentials of the AWS SDKs: Signature Version 4, by botocore.

https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html, checked 2026-11-30. The
service is `bedrock`, whatever the host is called. A path is encoded once more for the signature: `%3A` is signed as
`%253A`.
"""

from __future__ import annotations

import os
import re
from datetime import UTC, datetime
from importlib.util import find_spec
from threading import Lock
from typing import Any

from anyio import to_thread

from streamkit.endpoint import Endpoint
from streamkit.errors import ConfigError, StreamkitError, TransportError
from streamkit.extras import how_to_install
from streamkit.keys import Secret
from streamkit.protocols import EncodedRequest
from streamkit.transport.exchange import request_headers
from streamkit.transport.http_clients import HTTPClient

__all__ = ["AWSSignature", "lookup"]

SERVICE = "bedrock"

# Where the host of an endpoint has its region: https://docs.aws.amazon.com/general/latest/gr/bedrock.html.
_REGION = re.compile(r"(?:^|\.)bedrock-[a-z-]+\.([a-z0-9-]+)\.(?:vpce\.)?(?:amazonaws\.|api\.aws$)")
_REGION_VARIABLES = ("AWS_REGION", "AWS_DEFAULT_REGION")


class AWSSignature:
    """Signs each request with what the chain of credentials of botocore finds: environment, profile, role, ….

    Raises `ConfigError` without botocore or a region. The credentials are looked for with the first request, and
    those that expire are renewed; `ConfigError` says that there are none.
    """

    def __init__(self, endpoint: Endpoint) -> None:
        name = endpoint.provider.name
        if find_spec("botocore") is None:
            key = endpoint.provider.key_variable
            raise ConfigError(
                f"{name} without a key signs its requests by botocore: {how_to_install('bedrock')}; "
                f"or set {key}, or in code pass api_key="
            )
        found = _REGION.search(endpoint.host)
        region = found[1] if found else next(filter(None, map(lookup, _REGION_VARIABLES)), None)
        if not region:
            raise ConfigError(f"a request to {name} is signed for a region: set AWS_REGION")
        self._region = region
        self._lock = Lock()  # botocore looks for credentials in one thread at a time
        self._credentials: Any = None

    async def __call__(self, http: HTTPClient, endpoint: Endpoint, encoded: EncodedRequest, body: bytes) -> Endpoint:
        signed = await to_thread.run_sync(self._signed, endpoint, encoded, body, abandon_on_cancel=True)
        if isinstance(signed, StreamkitError):
            raise signed
        return signed

    def _signed(self, endpoint: Endpoint, encoded: EncodedRequest, body: bytes) -> Endpoint | StreamkitError:
        """The endpoint with a signature, or why there is none; an error that was raised here would show the keys."""
        from botocore import exceptions

        name = endpoint.provider.name
        try:
            credentials = self._find()
        except (exceptions.HTTPClientError, exceptions.ConnectionError) as error:
            return TransportError(f"the AWS credentials for {name} could not be fetched ({_said(error)}): try again")
        except (exceptions.BotoCoreError, exceptions.ClientError) as error:
            return ConfigError(f"the AWS credentials for {name} cannot be used ({_said(error)})")
        if credentials is None:
            return ConfigError(
                f"there are neither a key nor AWS credentials for {name}: set {endpoint.provider.key_variable}, "
                "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE, or in code pass api_key="
            )
        return endpoint.authorized(_sign(credentials, self._region, endpoint, encoded, body))

    def _find(self) -> Any:
        """The credentials as they are now, None where there are none."""
        from botocore.session import Session

        with self._lock:
            if self._credentials is None:
                self._credentials = Session().get_credentials()
            return None if self._credentials is None else self._credentials.get_frozen_credentials()


def lookup(variable: str) -> str | None:
    """Return the value of a variable, and for the region, where none says it, that of the profile."""
    value = os.environ.get(variable, "").strip()
    if value or variable != _REGION_VARIABLES[-1] or find_spec("botocore") is None:
        return value
    from botocore.exceptions import BotoCoreError
    from botocore.session import Session

    try:
        region: str | None = Session().get_config_variable("region")
    except BotoCoreError as error:
        problem = _said(error)
    else:
        return region
    raise ConfigError(f"the AWS configuration, which has the region, cannot be read ({problem})")


def _sign(credentials: Any, region: str, endpoint: Endpoint, encoded: EncodedRequest, body: bytes) -> dict[str, Secret]:
    """The headers of a signature. Made step by step, as the method for all of it logs the security token."""
    from botocore.auth import SigV4Auth
    from botocore.awsrequest import AWSRequest

    sent = {name: _text(value) for name, value in request_headers(endpoint, encoded, body).items()}
    signed = {name: value for name, value in sent.items() if name == "content-type" or name.startswith("x-amz")}
    added = {"x-amz-date": datetime.now(UTC).strftime("%Y%m%dT%H%M%SZ")}
    if credentials.token:
        added["x-amz-security-token"] = credentials.token
    request = AWSRequest(encoded.method, endpoint.url(encoded), data=body, headers=signed | added)
    request.context["timestamp"] = added["x-amz-date"]
    signer = SigV4Auth(credentials, SERVICE, region)
    signature = signer.signature(signer.string_to_sign(request, signer.canonical_request(request)), request)
    names = signer.signed_headers(signer.headers_to_sign(request))
    added["authorization"] = (
        f"AWS4-HMAC-SHA256 Credential={signer.scope(request)}, SignedHeaders={names}, Signature={signature}"
    )
    return {name: Secret(value) for name, value in added.items()}


def _text(value: str | bytes) -> str:
    return value.decode("latin-1") if isinstance(value, bytes) else value


def _said(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"
