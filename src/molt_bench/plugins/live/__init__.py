"""Live mode: a server to which agents come by themselves, and a guest that brings one of ours to it."""

from typing import Final

from molt_bench.plugin import LazyCommand

SERVE: Final = LazyCommand(
    "Play a benchmark with agents that connect over the network: invite them, wait, and play.",
    "molt_bench.plugins.live.commands:serve",
    "Play",
    extra="live",
    hosts=True,
)
JOIN: Final = LazyCommand(
    "Play with an agent at a live server, on this machine or another, until its run is over.",
    "molt_bench.plugins.live.join:join",
    "Play",
    extra="http",
)
