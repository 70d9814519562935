"""The command line: parses, calls, prints; no logic."""

from molt_bench.cli.app import main as main
