"""The two version numbers of the project."""

__version__ = "0.9.0"

#: Bumped only when the same config could give other results: decks, rules, built-in bots, scoring.
BENCH_VERSION = 22
