"""Access tokens of Google Cloud, with application default credentials, by google-auth.

https://cloud.google.com/docs/authentication/application-default-credentials, checked 2026-11-30.
"""

from __future__ import annotations

from importlib.util import find_spec
from threading import Lock
from typing import Any

from anyio import to_thread

from streamkit.endpoint import Endpoint
from streamkit.errors import AuthenticationError, ConfigError, StreamkitError, TransportError
from streamkit.extras import how_to_install
from streamkit.keys import Secret
from streamkit.protocols import EncodedRequest
from streamkit.transport.http_clients import HTTPClient

__all__ = ["GoogleToken"]

SCOPE = "https://www.googleapis.com/auth/cloud-platform"


class GoogleToken:
    """Gives each request a token, which is renewed before it expires.

    Raises `ConfigError` without google-auth. The credentials are looked for with the first request; `ConfigError` says
    that there are none, `AuthenticationError` that Google gives no token for them.
    """

    def __init__(self, endpoint: Endpoint) -> None:
        if not all(map(find_spec, ("requests", "google", "google.auth"))):
            raise ConfigError(
                f"{endpoint.provider.name} without a token gets one by google-auth: {how_to_install('vertex')}; "
                "or in code pass api_key="
            )
        self._lock = Lock()
        self._credentials: Any = None

    async def __call__(self, http: HTTPClient, endpoint: Endpoint, encoded: EncodedRequest, body: bytes) -> Endpoint:
        found = await to_thread.run_sync(self._authorized, endpoint, abandon_on_cancel=True)
        if isinstance(found, StreamkitError):
            raise found
        return found

    def _authorized(self, endpoint: Endpoint) -> Endpoint | StreamkitError:
        """The endpoint with a token, or why there is none; an error that was raised here would show the credentials."""
        from google.auth import exceptions

        name = endpoint.provider.name
        try:
            token, project = self._find()
        except exceptions.DefaultCredentialsError as error:
            return ConfigError(
                f"there are neither a token nor Google credentials for {name}: run `gcloud auth application-default "
                f"login`, set GOOGLE_APPLICATION_CREDENTIALS, or in code pass api_key= ({_said(error)})"
            )
        except exceptions.GoogleAuthError as error:
            if isinstance(error, exceptions.TransportError) or error.retryable:
                return TransportError(f"no token for {name} could be fetched ({_said(error)}): try again")
            return AuthenticationError(f"Google gives no token for {name}: {_said(error)}", provider=name)
        headers = {"authorization": token}
        if project is not None:
            headers["x-goog-user-project"] = project
        return endpoint.authorized(headers)

    def _find(self) -> tuple[Secret, Secret | None]:
        """A token, and the project that the use is charged to where the credentials name one."""
        import google.auth
        from google.auth.transport.requests import Request

        with self._lock:
            if self._credentials is None:
                self._credentials, _ = google.auth.default(scopes=[SCOPE])
            if not self._credentials.valid:
                self._credentials.refresh(Request())
            project = getattr(self._credentials, "quota_project_id", None)
            return Secret(f"Bearer {self._credentials.token}"), Secret(project) if project else None


def _said(error: Exception) -> str:
    return str(error.args[0] if error.args else type(error).__name__)
