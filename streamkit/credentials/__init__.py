"""What lets a request in where that is no fixed key: tokens from a function, a cloud's own credentials.

Each kind is an `Authorize` of the transport, asked each time that a request is sent, so that whatever takes time is
part of the request and ends with it. What blocks runs in a thread.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from importlib import import_module

from streamkit.credentials.token import TokenFunction
from streamkit.endpoint import Endpoint
from streamkit.keys import ApiKey
from streamkit.providers import Provider
from streamkit.transport.exchange import Authorize

__all__ = ["find_credentials", "lookup_for"]

# The module and the class of each scheme, loaded on first use.
_SCHEMES = {
    "aws-sigv4": ("aws", "AWSSignature"),
    "google": ("google", "GoogleToken"),
    "ibm-iam": ("ibm", "IBMToken"),
}
_WITHOUT_KEY = ("aws-sigv4", "google")


def find_credentials(endpoint: Endpoint, api_key: ApiKey | None) -> Authorize | None:
    """Return what gives each request to `endpoint` its headers, None where a fixed key does or nothing has to.

    `api_key` is what the caller gave. Raises `ConfigError` where a package is missing or what the scheme must know.
    """
    if callable(api_key):
        return TokenFunction(api_key)
    scheme = endpoint.provider.auth
    if scheme not in _SCHEMES or (scheme in _WITHOUT_KEY and endpoint.key is not None):
        return None
    module, name = _SCHEMES[scheme]
    authorize: Authorize = getattr(import_module(f"streamkit.credentials.{module}"), name)(endpoint)
    return authorize


def lookup_for(provider: Provider) -> Callable[[str], str | None]:
    """Return what fills the placeholders of a row: the environment, and for AWS the profile, which has a region."""
    if provider.auth != "aws-sigv4":
        return os.environ.get
    from streamkit.credentials.aws import lookup

    return lookup
