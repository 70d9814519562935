"""The command line: parses, calls, prints; no logic."""

from molt_bench.cli.entry import main as main
