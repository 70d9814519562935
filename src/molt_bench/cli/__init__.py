"""The command line: parses, calls, prints; no logic. Each command is in the file of its name."""

from molt_bench.cli.app import main as main
