"""Limits of connections: a guest has its share, and a proxy, which speaks for many, has none of its own."""

import pytest

from molt_bench.serve.connection_limits import ConnectionLimits


class Connection:
    """A connection from an address, as far as the limits look at it."""

    def __init__(self, host, port):
        self.address = host, port
        self.ended = False

    def get_extra_info(self, _):
        return self.address

    def is_closing(self):
        return self.ended

    def abort(self):
        self.ended = True


@pytest.mark.parametrize(("proxies", "ended"), [((), 36), (("10.0.0.1",), 0)])
def test_a_guest_with_too_many_connections_loses_idle_ones_and_a_proxy_none(proxies, ended):
    limits = ConnectionLimits(1_000, proxies=proxies)
    connections = [Connection("10.0.0.1", port) for port in range(100)]
    for each in connections:
        limits.came(each)
        limits.invited(each.address, "guest", slots=1)
    assert sum(each.ended for each in connections) == ended
