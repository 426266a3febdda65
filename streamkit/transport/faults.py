"""What went wrong on the way: the errors of httpx, httpx2, aiohttp and the network as ours.

Exceptions are known by the names of their classes, which the libraries share, so that none has to be imported.
"""

from __future__ import annotations

from time import perf_counter_ns

from streamkit.endpoint import Endpoint
from streamkit.errors import (
    ConfigError,
    ConnectTimeout,
    StreamkitError,
    TransportError,
    TransportTimeout,
    TruncatedStream,
)
from streamkit.keys import scrub_error
from streamkit.timing import Timeouts

__all__ = ["explain_fault", "place_of", "was_closing"]

SAID = 200  # characters that are quoted of an error: aiohttp's may hold all that was received
CLOSING_S = 1.0  # a request that is lost with a closing connection is lost within that; later, it was being answered

# By name, as below: what httpx and httpx2, then aiohttp, raise where the server ends the connection without a word.
_CLOSED = {
    *("RemoteProtocolError", "ReadError", "WriteError"),
    *("ServerDisconnectedError", "ConnectionResetError", "ClientOSError"),
}
_CUT = "payload is not completed"  # aiohttp's words for it
# By name: what they raise for an address that no host can have, some of it only when they send.
_NO_ADDRESS = {"InvalidURL", "IDNAError"}
# By name: the roots of httpx and httpx2, and what a transport may let through from below, as httpx-aiohttp does with
# aiohttp's errors, which show the headers of the request.
_FAILURES = {
    *("HTTPError", "StreamError"),
    *("OSError", "BrokenResourceError", "ClosedResourceError", "ClientError"),
}


def explain_fault(
    error: BaseException, endpoint: Endpoint, timeouts: Timeouts | None, *, opening: bool = False
) -> StreamkitError | None:
    """Return the error of ours for one of httpx's, httpx2's, aiohttp's or the network's; None for any other.

    `opening` says that no answer has begun. `timeouts` are those that were asked for, None where those of the http
    client hold.
    """
    kinds = _kinds(error)
    if error.__cause__ is not None and "ClientError" in _kinds(error.__cause__):
        # httpx-aiohttp calls each failure of a connection a timeout, a refused one too; aiohttp says what it was.
        return explain_fault(error.__cause__, endpoint, timeouts, opening=opening)
    place = place_of(endpoint)
    text = str(error).partition("\n")[0][:SAID]
    said = f"{type(error).__name__}: {text}" if text else type(error).__name__
    fault: StreamkitError
    connecting, reading = (timeouts.connect_s, timeouts.read_s) if timeouts is not None else (None, None)
    if kinds & {"ConnectTimeout", "ConnectionTimeoutError"}:
        fault = ConnectTimeout(f"{place} took no connection{_within(connecting)} (connect_timeout_s)")
    elif "PoolTimeout" in kinds:
        fault = TransportTimeout(f"no connection to {place} was free in time: raise the limits of the http client")
    elif "WriteTimeout" in kinds:
        fault = TransportTimeout(f"{place} did not take the request{_within(reading)} (read_timeout_s)")
    elif kinds & {"TimeoutException", "TimeoutError"}:
        fault = TransportTimeout(f"{place} sent nothing{_within(reading)} (read_timeout_s)")
    elif not opening and ("RemoteProtocolError" in kinds or _CUT in str(error)):
        fault = TruncatedStream(f"{place} broke off before the end of the body ({text or said})")
    elif kinds & {"ConnectError", "ProxyError", "ClientConnectorError"}:
        near = endpoint.is_near and "ProxyError" not in kinds
        suspects = "and that the server runs there" if near else "the network and the proxy settings"
        fault = TransportError(f"cannot connect to {place} ({said}): check the base URL, {suspects}")
    elif kinds & _NO_ADDRESS:
        fault = ConfigError(f"the base URL of {place} cannot be asked for ({said})")
    elif kinds & _FAILURES:
        fault = TransportError(f"the connection to {place} broke ({said}): try again")
    else:
        return None
    fault.provider = endpoint.provider.name
    scrub_error(fault, endpoint.secrets)
    return fault


def was_closing(error: Exception, sent_ns: int) -> bool:
    """Return whether a request met the end of a connection that was kept for it, and so was read by nobody."""
    kinds = _kinds(error) | (_kinds(error.__cause__) if error.__cause__ is not None else set())
    soon = perf_counter_ns() - sent_ns < CLOSING_S * 1e9
    return soon and not kinds.isdisjoint(_CLOSED) and "ClientConnectorError" not in kinds


def place_of(endpoint: Endpoint) -> str:
    """Return who and where, for messages."""
    return f"{endpoint.provider.name} at {endpoint.host}"


def _kinds(error: BaseException) -> set[str]:
    return {kind.__name__ for kind in type(error).__mro__}


def _within(seconds: float | None) -> str:
    return "" if seconds is None else f" within {seconds:g} s"
