"""The two version numbers of the project."""

__version__ = "0.2.0"

#: Bumped only when the same config could give other results: decks, rules, built-in bots, scoring.
BENCH_VERSION = 15

#: The bench versions whose runs can be read; only runs of this one can be continued.
READABLE_VERSIONS = (11, 12, 13, 14, BENCH_VERSION)
