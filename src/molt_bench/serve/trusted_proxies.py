"""Trusted proxies: whose `X-Forwarded-For` is believed about the address of a client. Others could invent one."""

from collections.abc import Collection, Iterable
from ipaddress import ip_address
from typing import Final

from molt_bench.errors import ConfigError

#: What an address of IPv4 begins with where it is written as one of IPv6.
_MAPPED: Final = "::ffff:"


def client_address(peer: str, forwarded: Iterable[str], trusted: Collection[str]) -> str:
    """Return the address of a client: `forwarded` is what proxies said, the nearest last."""
    for each in reversed([part.strip() for header in forwarded for part in header.split(",")]):
        if peer not in trusted:
            break
        peer = each
    return peer


def proxy_addresses(given: str) -> tuple[str, ...]:
    """Return the address of a proxy in each way that peers are named, or raise ConfigError.

    A socket for IPv6 names a peer of IPv4 in a way of its own.

    >>> proxy_addresses("127.0.0.1"), proxy_addresses("::1")
    (('127.0.0.1', '::ffff:127.0.0.1'), ('::1',))
    """
    try:
        address = ip_address(given.removeprefix(_MAPPED))
        return (str(address), f"{_MAPPED}{address}") if address.version == 4 else (str(address),)
    except ValueError:
        raise ConfigError("--trusted-proxy", given, "an IP address, such as 127.0.0.1") from None
