"""A disk without room: no model is asked while its reply could not be kept, and nothing is paid for twice."""

import json
import subprocess

import pytest

from tests.e2e.llm import config_for, exchanges_in, gone_on, played, prepared, same_files
from tests.e2e.shell import MOLT_BENCH, fault_counts, games_in, quick, run_of

#: Runs the program on a file system of its own that is all but full, and copies what it leaves there.
SCRIPT = """
mount -t tmpfs -o size=4m none "$1" || exit 77
cd "$1"; cp "$2/bench.json" .; head -c 4160000 /dev/zero > ballast
"${@:3}" --config bench.json --no-cost-limit >"$2/stdout" 2>"$2/stderr"
status=$?
cp -r out "$2/"
exit $status
"""


def on_a_small_disk(folder, config):
    """Run a config where there is no room for all of it; return the exit status and standard error."""
    prepared(folder, config)
    disk = folder / "disk"
    disk.mkdir()
    done = subprocess.run(
        ["unshare", "-rm", "bash", "-c", SCRIPT, "bash", disk, folder, MOLT_BENCH],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    if done.returncode == 77 or "unshare" in done.stderr:
        pytest.skip("no file system can be mounted here")
    return done.returncode, (folder / "stderr").read_text()


@pytest.fixture(scope="module")
def whole(one_server, tmp_path_factory):
    """Return the same run with room for all of it."""
    one_server.calm()
    return played(tmp_path_factory.mktemp("whole"), config_for(one_server.url))


@pytest.mark.slow
def test_a_full_disk_stops_the_asking_and_resume_pays_for_what_was_lost_alone(tmp_path, server, whole):
    before = server.received
    status, said = on_a_small_disk(tmp_path, config_for(server.url))
    assert status == 1, said
    assert "Traceback" not in said
    assert "s.jsonl could not be written (No space left on device): no further questions are asked" in said
    assert "finished games are kept, resume with: molt-bench resume" in said.splitlines()[-1]
    folder = run_of(tmp_path / "out")
    paid, kept = server.received - before, len(exchanges_in(folder))
    assert 0 < kept < len(exchanges_in(whole))
    assert paid - kept <= 4, "no more is lost than was in flight: four games are played at once"
    summary = json.loads(quick("report", folder, "--json").stdout)["summary"]
    lost = summary.get("unaccounted", {"requests": 0})["requests"]
    assert lost == paid - kept, "what was reserved and never sent is no loss"
    before = server.received
    gone_on(folder)
    assert server.received - before == len(exchanges_in(whole)) - kept
    assert quick("verify", folder).returncode == 0
    names = ("leaderboard.json", "matches.json")
    assert same_files(folder, names) == same_files(whole, names)


@pytest.mark.slow
def test_few_open_files_make_the_run_slower_and_lose_nothing(tmp_path, server):
    """100 games at once where 60 files may be open: fewer requests are sent at once, and nobody is at fault."""
    server.delay = 0.3
    config = config_for(server.url, maxConcurrent=100)
    config = {**config, "participants": config["participants"][:2], "seeds": {"perMatch": 50, "masterSeed": "x"}}
    config = {**config, "game": {"handsPerGame": 1}, "stop": {"adjacentConfidence": None, "budget": {"maxMatches": 1}}}
    flags = prepared(tmp_path, config)
    done = subprocess.run(
        ["bash", "-c", 'ulimit -n 60; exec "$@"', "bash", MOLT_BENCH, *flags],
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stderr
    assert {*fault_counts(done.stdout)} == {"0"}
    folder = run_of(tmp_path / "out")
    assert len(games_in(folder)) == 100
    assert quick("verify", folder).returncode == 0
