"""A vendor as a row of data."""

from __future__ import annotations

from typing import Any

from msgspec import Struct, field

from streamkit.protocols import Parser, Protocol, Quirks, get_protocol
from streamkit.protocols.either import EitherParser

__all__ = ["SCHEMES", "Provider"]

# What `Provider.auth` may name that is no header.
SCHEMES = ("aws-sigv4", "google", "ibm-iam")


class Provider(Struct, frozen=True, kw_only=True):
    """A vendor: which dialect it speaks, where, with which key, and where it departs from the dialect.

    `framing` is that of its streams, where it is not the dialect's. `also` names dialects that the vendor answers in at
    other paths, so that a recorded body of any of them can be read.

    `base_url` is what the vendor's own SDK takes, "" where each account has its own. What belongs to an account or a
    region is a placeholder, which an environment variable fills: `{NAME}`; `{NAME,OTHER}`, the first that is set;
    `{NAME=value}`, with a value where none is. One at the very beginning stands for a host, with or without
    `https://`, or for a whole address: `{DATABRICKS_HOST}/serving-endpoints`. `hosts` maps a host so filled in to the
    one it is in truth, where the form does not hold for all. `env_base_url` names a variable that overrides the whole.
    `prefix`, with placeholders of its own, stands between any base URL and the paths of the dialect.

    `key_variable` names the environment variable of the key, "" where none is needed. `auth` is the header that
    carries the key: `authorization` (as a bearer token) or one that takes it bare; `token_auth` that of a token which
    a function gives, where it is another. `auth` may also be a scheme of a cloud's, for which `streamkit.credentials`
    finds what the requests carry:

    - `aws-sigv4`: a signature, with the credentials of the AWS SDKs; a key is a bearer token in its place.
    - `google`: a bearer token, with Google's application default credentials; a key is that token itself.
    - `ibm-iam`: a bearer token, for which the key is exchanged at `token_url` (IBM Cloud's, where it is "").
    """

    name: str
    protocol: str
    also: tuple[str, ...] = ()
    framing: str = ""
    base_url: str = ""
    hosts: dict[str, str] = field(default_factory=dict)
    prefix: str = ""
    key_variable: str = ""
    key_optional: bool = False
    auth: str = "authorization"
    token_auth: str = ""
    token_url: str = ""
    env_base_url: str = ""
    headers: dict[str, str] = field(default_factory=dict)
    quirks: Quirks = Quirks()

    def auth_header(self, key: str, *, is_token: bool = False) -> tuple[str, str]:
        """Return the header, in lower case, that carries a key, or a token that a function gave, and its value."""
        name = (is_token and self.token_auth) or ("authorization" if self.auth in SCHEMES else self.auth.lower())
        return name, f"Bearer {key}" if name == "authorization" else key

    def get_protocol(self) -> Protocol:
        """Return the dialect that the vendor speaks."""
        return get_protocol(self.protocol)

    def parser(self, **options: Any) -> Parser:
        """Return a fresh parser with the vendor's quirks; the options are those of `Parser`.

        It reads `protocol`, and a body that begins in one of `also` in that, unless a `mode` is given, which only
        `protocol` has.
        """
        options = {"provider": self.name, "quirks": self.quirks, **options}
        options["framing"] = options.get("framing") or self.framing or None
        first = self.get_protocol()
        if not self.also or options.get("mode"):
            return first.parser(**options)
        return EitherParser(first.parser_type, *(get_protocol(name).parser_type for name in self.also), **options)
