"""The two version numbers of the project."""

__version__ = "0.9.0"

#: Bumped only when the same config could give other results: decks, rules, built-in bots, scoring.
BENCH_VERSION = 17

#: The bench versions whose runs can be continued, each by its own rules.
CONTINUED_VERSIONS = (15, 16, BENCH_VERSION)

#: The bench versions whose runs can be read.
READABLE_VERSIONS = (11, 12, 13, 14, *CONTINUED_VERSIONS)
