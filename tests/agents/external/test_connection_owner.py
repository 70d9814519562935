"""Whose connection it is, as far as the system says."""

import os
import socket

import pytest

from molt_bench.agents.external.connection_owner import is_of_program


@pytest.fixture(params=["127.0.0.1", "::ffff:127.0.0.1"])
def ends(request):
    """Return our end of a connection and the other one, whose socket is of IPv4 or of IPv6."""
    family = socket.AF_INET6 if ":" in request.param else socket.AF_INET
    with socket.create_server(("127.0.0.1", 0)) as listener, socket.socket(family) as other:
        other.connect((request.param, listener.getsockname()[1]))
        ours, _ = listener.accept()
        with ours:
            yield ours, other


def test_a_connection_of_a_process_below_the_supervisor_is_the_programs(ends):
    ours, _ = ends
    assert is_of_program(ours, os.getppid(), "no such tag")


def test_a_connection_of_any_other_process_is_not(ends):
    ours, _ = ends
    assert not is_of_program(ours, os.getpid(), "no such tag")
