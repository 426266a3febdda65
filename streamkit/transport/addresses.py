"""Which addresses are on the public internet, so that a fetch of what a stranger names reaches nothing else."""

from __future__ import annotations

from ipaddress import IPv4Address, IPv6Address, IPv6Network
from typing import TypeAlias, Union

__all__ = ["Address", "is_public"]

Address: TypeAlias = Union[IPv4Address, IPv6Address]

# All global unicast addresses of IPv6: https://www.iana.org/assignments/ipv6-address-space, checked 2026-11-30. Outside
# lie loopback, link-local, private and multicast ones, and those that stand for one of IPv4 (mapped, NAT64).
_GLOBAL_UNICAST = IPv6Network("2000::/3")


def is_public(address: Address) -> bool:
    """Return whether an address is one of the public internet and of a single host there.

    False for loopback, private, link-local, shared, reserved, documentation and multicast addresses, and for those of
    IPv6 that lead to one of IPv4: mapped, NAT64, 6to4, Teredo.
    """
    if isinstance(address, IPv6Address):
        return address in _GLOBAL_UNICAST and address.is_global and address.sixtofour is None and address.teredo is None
    return address.is_global and not (address.is_multicast or address.is_reserved)
