"""Which addresses are on the public internet."""

from __future__ import annotations

from ipaddress import ip_address

import pytest

from streamkit.transport.addresses import is_public

PUBLIC = ["93.184.215.14", "8.8.8.8", "172.32.0.1", "2606:2800:21f:cb07::1", "2a00:1450:4001:830::200e"]

OTHERS = {
    "loopback": ["127.0.0.1", "127.255.255.254", "::1"],
    "unspecified": ["0.0.0.0", "0.1.2.3", "::"],
    "private": ["10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1", "fc00::1", "fd12:3456::1"],
    "site-local": ["fec0::1"],
    "link-local": ["169.254.169.254", "fe80::1", "fe80::1%eth0"],
    "shared by a provider's customers": ["100.64.0.1", "100.127.255.255"],
    "reserved": ["240.0.0.1", "255.255.255.255", "4000::1", "100::1"],
    "special": ["192.0.0.1", "198.18.0.1", "2001:2::1"],
    "documentation": ["192.0.2.1", "198.51.100.1", "203.0.113.1", "2001:db8::1"],
    "multicast": ["224.0.0.1", "239.255.255.250", "ff02::1"],
    "IPv4 inside IPv6": [
        "::ffff:127.0.0.1",
        "::ffff:8.8.8.8",
        "::127.0.0.1",
        "64:ff9b::7f00:1",
        "64:ff9b:1::a00:1",
        "2002:7f00:1::1",
        "2001:0:4136:e378:8000:63bf:3fff:fdd2",
    ],
}


@pytest.mark.parametrize("address", PUBLIC)
def test_an_address_of_the_internet_is_public(address: str) -> None:
    assert is_public(ip_address(address))


@pytest.mark.parametrize(
    "address", [pytest.param(address, id=f"{kind}: {address}") for kind, some in OTHERS.items() for address in some]
)
def test_any_other_is_not(address: str) -> None:
    assert not is_public(ip_address(address))
