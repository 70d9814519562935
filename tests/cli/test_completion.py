"""Shell completion, asked for as the shells do."""

import pytest
from tests.e2e.shell import quick


def offered(*words):
    """Return what bash is offered for the last of the words behind the program's name."""
    line = "\n".join(["molt-bench", *words])
    env = {"_MOLT_BENCH_COMPLETE": "bash_complete", "COMP_WORDS": line, "COMP_CWORD": str(len(words))}
    done = quick(env=env)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.split()


@pytest.mark.parametrize(
    ("words", "names"),
    [
        (["ver"], ["plain,verify"]),
        (["--versi"], ["plain,--version"]),
        (["--quiet", "--max-m"], ["plain,--max-matches"]),
        (["run", "--max-m"], ["plain,--max-matches"]),
        (["export", "RUN", "--format", "p"], ["plain,phh"]),
        (["run", "ben"], ["file,ben"]),
        (["verify", "ben"], ["file,ben"]),
    ],
)
def test_bash_is_offered(words, names):
    assert offered(*words) == names


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_every_shell_gets_its_script(shell):
    done = quick(env={"_MOLT_BENCH_COMPLETE": f"{shell}_source"})
    assert done.returncode == 0
    assert f"{shell}_complete" in done.stdout
