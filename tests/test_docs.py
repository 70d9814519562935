"""What the documents show is what happens: every command and every piece of Python in them is run."""

import os
import re
import shutil
import subprocess
import sys
import venv
from pathlib import Path

import pytest

from tests.agents.llm.provider import Provider

ROOT = Path(__file__).parents[1]
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SCRIPTS = Path(sys.executable).parent


def blocks(document, language):
    return [text for name, text in BLOCK.findall(document.read_text("utf-8")) if name == language]


def commands():
    """Return every command shown but the install, which has a test of its own, and the lines shown behind it."""
    for document in DOCUMENTS:
        for block in blocks(document, "console"):
            for piece in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
                command, _, output = piece.partition("\n")
                if not command.startswith("pip "):
                    yield pytest.param(command, output, id=f"{document.name}: {command}")


def trimmed(text):
    return [line.rstrip() for line in text.splitlines() if line.strip()]


def run(command, folder):
    """Run a command in an empty folder that has the documents in it; models answer from a server on this machine."""
    shutil.copytree(ROOT / "docs", folder / "docs")
    program, *arguments = command.split()
    with Provider() as provider:
        for example in (folder / "docs" / "examples").glob("*.yaml"):
            example.write_text(example.read_text("utf-8").replace("http://127.0.0.1:8000/v1", provider.url), "utf-8")
        keys = {"OPENAI_API_KEY": "a-key-for-openai", "ANTHROPIC_API_KEY": "a-key-for-anthropic"}
        urls = {"OPENAI_BASE_URL": provider.url, "ANTHROPIC_BASE_URL": provider.url.removesuffix("/v1")}
        done = subprocess.run(
            [SCRIPTS / program, *arguments],
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
            cwd=folder,
            env={**os.environ, **keys, **urls},
        )
    assert done.returncode == 0, done.stderr
    if "llm:" in command or "models.yaml" in command or "local.yaml" in command:
        assert provider.answered > 20
        assert "no faults" in done.stdout
    return done.stdout


@pytest.mark.parametrize(("command", "output"), list(commands()))
def test_every_command_shown_runs_and_prints_what_is_shown(command, output, tmp_path):
    printed = trimmed(run(command, tmp_path))
    if output.strip():
        assert printed == trimmed(output)


def test_the_install_command_gives_a_working_program_in_an_empty_environment(tmp_path):
    """With nothing but what the package itself asks for."""
    venv.create(tmp_path, with_pip=True)
    install = blocks(ROOT / "README.md", "console")[0].splitlines()[0].removeprefix("$ ")
    assert install.split() == ["pip", "install", "."]
    pip = [tmp_path / "bin" / "python", "-m", "pip", "--quiet", "install", "."]
    subprocess.run(pip, check=True, capture_output=True, timeout=300, cwd=ROOT)
    installed = [tmp_path / "bin" / "molt-bench", "--participants", "tag,random", "--hands", "5"]
    done = subprocess.run(installed, check=True, capture_output=True, text=True, timeout=60, cwd=tmp_path)
    assert "random" in done.stdout


def timeless(lines):
    """Cut what differs from run to run: times, speeds and the run's folder."""
    return [re.sub(r"in [0-9.]+ s \([0-9,]+ hands/s\)|\d{4}-\d\d-\d\dT[0-9-]+", "*", line) for line in lines]


@pytest.mark.parametrize(
    ("guide", "number", "example"),
    [("benchmark.md", 0, "benchmark.yaml"), ("models.md", 0, "models.yaml"), ("models.md", 1, "local.yaml")],
)
def test_the_example_configs_are_those_in_the_guides(guide, number, example):
    shown = blocks(ROOT / "docs" / guide, "yaml")[number]
    assert shown == (ROOT / "docs" / "examples" / example).read_text("utf-8")


def test_the_first_screen_shows_the_real_output_of_its_command(tmp_path):
    readme = ROOT / "README.md"
    shown = blocks(readme, "text")[0]
    command = blocks(readme, "console")[0].splitlines()[-1].removeprefix("$ ")
    assert timeless(trimmed(shown)) == timeless(trimmed(run(command, tmp_path)))


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda document: document.name)
def test_all_python_shown_runs(document, capsys):
    names: dict[str, object] = {}
    for block in blocks(document, "python"):
        exec(compile(block, document.name, "exec"), names)  # the documents are ours


def test_the_report_in_the_agents_guide_is_the_real_one(capsys):
    guide = ROOT / "docs" / "agents.md"
    names: dict[str, object] = {}
    for block in blocks(guide, "python"):
        exec(compile(block, guide.name, "exec"), names)
    shown = blocks(guide, "text")[0]
    assert shown in capsys.readouterr().out


def test_links_between_documents_lead_somewhere():
    for document in [*DOCUMENTS, ROOT / "CONTRIBUTING.md"]:
        for target in re.findall(r"\]\((?!https?:)([^)#]+)\)", document.read_text("utf-8")):
            assert (document.parent / target).is_file(), f"{document.name} -> {target}"
