"""Odd configs: each is taken, or refused in one line; what is taken is played, reported, verified and exported."""

import pytest

from molt_bench.config.loader import load_config, read_config_file
from tests.e2e.shell import run_of
from tests.fuzz.mutations import odd_config
from tests.fuzz.oracle import ended_well

ALL = 800
#: In each test, so that they can be spread over the cores.
BATCH = 8
#: Played as they are up to so many hands a match.
FEW_HANDS = 200
SHORT = ("--seeds", "1", "--hands", "2", "--max-matches", "2", "--set", "game.warmupHands=0")


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, ALL, BATCH))
def test_no_config_breaks_the_program(tmp_path, first):
    for number in range(first, first + BATCH):
        check(number, tmp_path)


def check(number, folder):
    kind, text = odd_config(number)
    file = folder / f"{number}.{kind}"
    file.write_bytes(text)
    about = f"config {number}: {text[:300]!r}"
    status, _ = ended_well("doctor", file, about=about)
    if status:
        return
    config = load_config(read_config_file(str(file)))
    if any(each.kind.name in ("llm", "exec", "http") for each in config.participants):
        return
    hands = 2 * config.seeds.per_match * (config.game.hands_per_game + config.game.warmup_hands)
    limits = config.stop.budget
    small = hands <= FEW_HANDS and limits is not None and (limits.max_matches or 99) <= 3
    short = () if small and number % 2 else SHORT
    output = folder / f"runs-{number}"
    status, _ = ended_well(
        "run", "--config", file, "--quiet", "--executor", "inline", "--output-dir", output, *short, about=about
    )
    if status:
        return
    run = run_of(output)
    for command in (["report", run], ["verify", run], ["grade", run], ["export", run, "--format", "csv"]):
        status, _ = ended_well(*command, about=about)
        # A time limit that bots can miss is the one thing that is not the same when it is played again.
        assert status == 0 or (command[0] == "verify" and config.game.action_timeout_s), (about, command)
