"""Run one suite of slow tests, in an environment that has what it needs: `make slow SUITE=models`.

Without a name, all suites are listed. Every slow test belongs to a suite: those that no other suite claims are in
`runs`.
"""

import subprocess
import sys
from pathlib import Path
from typing import Final, NamedTuple

ROOT: Final = Path(__file__).parents[1]
#: The tests that the kernels are run for both ways: cards, hands, luck.
ON_KERNELS: Final = (
    "tests/kernels tests/poker tests/luck tests/agents/test_scripted.py tests/bench/test_match_margins.py"
)


class Suite(NamedTuple):
    """Slow tests on one subject.

    Attributes:
        about: What they check.
        time: How long they take on two cores.
        paths: The files and folders whose slow tests these are; patterns are the shell's.
        debian: Programs they need, each as PROGRAM:PACKAGE of Debian; installed if one is not there.
        environment: The environment they need (`make install FOR=...`); `.venv` if empty.
        flags: For pytest.
        more: Shell commands that are run after the tests.
    """

    about: str
    time: str
    paths: str = ""
    environment: str = ""
    flags: str = "-n auto -m slow"
    more: tuple[str, ...] = ()
    debian: str = ""


SUITES: Final = {
    "adapters": Suite(
        "PettingZoo and inspect play",
        "3 min",
        "tests/plugins/adapters tests/test_docs.py tests/test_examples.py",
        "adapters",
        "-n auto -k 'adapters or integrations or learner'",
    ),
    "blueprint": Suite(
        "a million decisions of the blueprint, 100,000 of its draws", "10 min", "tests/plugins/reference"
    ),
    "browser": Suite("every page of the viewer in Chromium", "5 min", "tests/browser", "browser", "-m slow"),
    "cheats": Suite(
        "cheating agents, strangers' run folders and edited files gain nothing or are named",
        "30 min",
        "tests/e2e/test_cheats.py tests/e2e/test_hostile_folder.py tests/e2e/test_edited_artifacts.py"
        " tests/agents/external tests/e2e/test_sandbox.py",
        debian="bwrap:bubblewrap",
    ),
    "containers": Suite("the steps of the Dockerfile, and its live server", "1 min", "tests/test_containers.py"),
    "docs": Suite(
        "every command shown in the docs and in examples/, and the install in an empty environment",
        "5 min",
        "tests/test_docs.py tests/test_shell_blocks.py tests/test_examples.py tests/e2e/test_compare.py"
        " tests/e2e/test_gate.py tests/cli",
    ),
    "engine": Suite("a million random hands against PokerKit", "20 min", "tests/poker"),
    "exports": Suite("5,000 exported hands, read back with PokerKit", "1 min", "tests/report"),
    "fuzz": Suite(
        "800 odd configs and 200 damaged journals, given to every command", "5 min", "tests/fuzz", flags="-n auto"
    ),
    "kernels": Suite(
        "runs of every kind leave the same files with and without kernels and on every Python here; a wheel has them",
        "minutes",
        "tests/kernels tests/e2e/test_same_bytes.py",
        flags="-n auto",
        more=(f"MOLT_BENCH_PURE=1 .venv/bin/python -m pytest -n auto -m 'not slow' {ON_KERNELS}",),
    ),
    "live": Suite(
        "200 live games with clients of every bad habit, and proxies in front",
        "5 min",
        "tests/serve",
        debian="nginx:nginx caddy:caddy openssl:openssl",
    ),
    "luck": Suite("luck that is taken out has mean zero, by every estimator", "5 min", "tests/luck"),
    "mcp": Suite("the official MCP clients play a game", "2 min", "tests/serve/test_mcp.py", "mcp", "-n auto"),
    "models": Suite(
        "language models: faults, money, kills, full disks",
        "5 min",
        "tests/llm tests/agents/test_bugs.py tests/e2e/test_llm_*.py",
    ),
    "ray": Suite(
        "games on a local Ray cluster have the same results",
        "2 min",
        "tests/plugins/adapters/test_ray.py tests/test_docs.py",
        "ray",
        "-m slow -k ray",
    ),
    "real-model": Suite(
        "a small real model plays on this machine's CPU (downloads 93 MB)",
        "10 min",
        environment="smollm",
        more=(
            ".venv-smollm/bin/python scripts/serve_smollm.py --port 8011 --run --"
            " .venv/bin/molt-bench --config docs/examples/smollm.yaml",
        ),
    ),
    "release": Suite("two clones build the same bytes", "1 min", "tests/test_release.py"),
    "runs": Suite("whole runs: acceptance, kills, secrecy, executors, and all other slow tests", "5 min", "tests"),
}
#: These have a target of their own: `make docs`.
ELSEWHERE: Final = ("tests/docs_site",)


def commands(name: str) -> list[str]:
    """Return the shell commands of a suite, in order."""
    suite = SUITES[name]
    found = [f"make --no-print-directory install FOR={suite.environment}"] if suite.environment else []
    if suite.debian:
        programs, packages = zip(*[each.split(":") for each in suite.debian.split()], strict=True)
        installed = f"apt-get update --quiet && apt-get install --yes --no-install-recommends {' '.join(packages)}"
        found.append(f"which {' '.join(programs)} >/dev/null || {{ {installed}; }} || echo 'some tests are skipped'")
    if suite.paths:
        python = f".venv-{suite.environment}/bin/python" if suite.environment else ".venv/bin/python"
        ignored = [f"--ignore-glob='{path}'" for path in claimed()] if name == "runs" else []
        found.append(" ".join([python, "-m pytest", suite.flags, *ignored, suite.paths]))
    return [*found, *suite.more]


def claimed() -> list[str]:
    """Return the files and folders whose slow tests are not left to `runs`."""
    return sorted({path for suite in SUITES.values() for path in suite.paths.split()} - {"tests"} | {*ELSEWHERE})


def listed() -> str:
    """Return all suites, a line each."""
    lines = [f"  {name:12}{suite.about} ({suite.time})" for name, suite in SUITES.items()]
    return "\n".join(["Suites of slow tests, with their time on two cores; make slow SUITE=NAME runs one:", *lines])


def main() -> int:
    """List the suites, or run one; the first command that fails ends it."""
    if len(sys.argv) < 2:
        print(listed())
        return 0
    name = sys.argv[1]
    if name not in SUITES:
        print(f"there is no suite {name}\n{listed()}", file=sys.stderr)
        return 2
    for command in commands(name):
        print(command, flush=True)
        if status := subprocess.run(command, shell=True, cwd=ROOT, check=False).returncode:
            return status
    return 0


if __name__ == "__main__":
    sys.exit(main())
