"""What the documents show is what happens: every command and every piece of Python in them is run."""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import venv
from importlib.util import find_spec
from pathlib import Path

import pytest

import docs_site
from tests.e2e.shell import fault_counts
from tests.llm.provider import Provider

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"
DOCS = ROOT / "docs"
KINDS = ("start", "how-to", "reference", "why")
#: Each is named by its kind and its name, as in "how-to/publish-a-run.md".
DOCUMENTS = [README, *(page for kind in KINDS for page in sorted((DOCS / kind).glob("*.md")))]
#: What made and measured the thing: no part of the site.
RESEARCH = sorted((ROOT / "research").glob("*.md"))
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
#: Pages beside the docs.
OTHERS = ("docs/README.md", "CONTRIBUTING.md", "CHANGELOG.md", "benchmarks/README.md")
SCRIPTS = Path(sys.executable).parent


#: Ray has an environment of its own: `make slow SUITE=ray`.
_needs_ray = (pytest.mark.slow, pytest.mark.skipif(find_spec("ray") is None, reason="Ray is not installed"))
#: What adapters need has an environment of its own: `make slow SUITE=adapters`.
_needs_adapters = (
    pytest.mark.slow,
    pytest.mark.skipif(find_spec("pettingzoo") is None, reason="what adapters need is not installed"),
)


#: Models of the documents whose runs have a budget in dollars.
PRICED = (
    "openai:gpt-4.1-nano",
    "openai:gpt-4.1-mini",
    "openai:gpt-4.1",
    "anthropic:claude-sonnet-4-5",
    "google:gemini-2.5-flash",
)


def name_of(document):
    return document.relative_to(DOCS if document.is_relative_to(DOCS) else ROOT).as_posix()


def blocks(document, language):
    return [text for name, text in BLOCK.findall(document.read_text("utf-8")) if name == language]


def commands():
    """Return every command shown but the install, which has a test of its own, and all that is shown behind it.

    A command that is shown twice is run once.
    """
    found: dict[str, list[str]] = {}
    places: dict[str, str] = {}
    for document in DOCUMENTS:
        for block in blocks(document, "console"):
            for piece in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
                command, _, output = piece.partition("\n")
                if not command.startswith("pip "):
                    found.setdefault(command, []).append(output)
                    places.setdefault(command, name_of(document))
    return [
        pytest.param(command, shown, id=f"{places[command]}: {command}", marks=marks_of(command, places[command]))
        for command, shown in found.items()
    ]


def marks_of(command, place):
    if command.startswith("inspect "):
        return _needs_adapters
    if " --sandbox" in command:
        return (pytest.mark.skipif(shutil.which("bwrap") is None, reason="bubblewrap is not installed"),)
    return _needs_ray if " ray " in command else ()


def trimmed(text):
    return [line.rstrip() for line in text.splitlines() if line.strip()]


def run(command, folder):
    """Run a command in an empty folder that has the documents in it; models answer from a server on this machine."""
    shutil.copytree(ROOT / "docs", folder / "docs")
    program, *arguments = shlex.split(command)
    if "llm:openai" in command or "models.yaml" in command or arguments[0] == "plan":
        # The models are elsewhere than their provider says, so they have no price of their own.
        prices = {name: {"input": 2, "output": 8} for name in PRICED}
        arguments += ["--set", f"llm.prices={json.dumps(prices)}"]
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
            timeout=300,
            cwd=folder,
            env={**os.environ, **keys, **urls},
        )
    assert done.returncode == 0, done.stderr
    if "llm:" in command or "models.yaml" in command or "local.yaml" in command:
        assert provider.answered > 20
        assert {*fault_counts(done.stdout)} == {"0"}
    return done.stdout


@pytest.mark.slow
@pytest.mark.parametrize(("command", "outputs"), commands())
def test_every_command_shown_runs_and_prints_what_is_shown(command, outputs, tmp_path):
    """What is shown of the first command of all, a whole screen, stands by itself."""
    printed = trimmed(run(command, tmp_path))
    for output in outputs:
        if output.strip():
            assert printed == trimmed(output)
    if command == blocks(README, "console")[0].splitlines()[-1].removeprefix("$ "):
        assert timeless(printed) == timeless(trimmed(blocks(README, "text")[0]))


def test_the_readme_is_short_and_leads_to_the_start_and_to_the_list_of_pages():
    text = README.read_text("utf-8")
    assert len(text.splitlines()) <= 120
    wanted = ["README.md", *(name_of(page) for page in DOCUMENTS if page.parent.name == "start")]
    assert [name for name in wanted if f"(docs/{name})" not in text] == []


def test_the_list_of_pages_has_all_of_them_in_the_part_of_their_kind():
    text = (DOCS / "README.md").read_text("utf-8")
    parts = dict(re.findall(r"^## ([\w ]+)\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL))
    listed = {title: {*re.findall(r"\]\(([\w/-]+\.md)\)", part)} for title, part in parts.items()}
    assert listed == {
        kind.replace("-", " ").capitalize(): {name_of(page) for page in DOCUMENTS if page.parent.name == kind}
        for kind in KINDS
    }


def test_the_first_screen_is_that_of_a_command_that_is_run():
    assert blocks(README, "console")[0].splitlines()[-1].removeprefix("$ ") in [each.values[0] for each in commands()]
    assert trimmed(blocks(README, "text")[0])


@pytest.mark.slow
def test_the_install_command_gives_a_working_program_in_an_empty_environment(tmp_path):
    """With nothing but what the package itself asks for."""
    venv.create(tmp_path)
    install = blocks(README, "console")[0].splitlines()[0].removeprefix("$ ")
    assert install.split() == ["pip", "install", "."]
    python = tmp_path / "bin" / "python"
    pip = [sys.executable, "-m", "pip", "--python", python, "--quiet", "install", "--no-compile", "."]
    subprocess.run(pip, check=True, capture_output=True, timeout=900, cwd=ROOT)
    installed = [tmp_path / "bin" / "molt-bench", "--participants", "tag,random", "--hands", "5"]
    done = subprocess.run(installed, check=True, capture_output=True, text=True, timeout=60, cwd=tmp_path)
    assert "random" in done.stdout


def timeless(lines):
    """Cut what differs from run to run: times, speeds and the run's folder."""
    return [re.sub(r"in [0-9.]+ s \([0-9,]+ hands/s\)|\d{4}-\d\d-\d\dT[0-9-]+", "*", line) for line in lines]


@pytest.mark.parametrize(
    ("guide", "number", "example"),
    [
        ("reference/command-line.md", 0, "benchmark.yaml"),
        ("start/first-model.md", 0, "local.yaml"),
        ("reference/compare-and-gate.md", 0, "ci/molt-bench.yml"),
        ("how-to/compare-models.md", 0, "models.yaml"),
        ("how-to/compare-models.md", 1, "gauntlet.yaml"),
        ("how-to/compare-models.md", 2, "mixed.yaml"),
    ],
)
def test_the_example_configs_are_those_in_the_guides(guide, number, example):
    shown = blocks(ROOT / "docs" / guide, "yaml")[number]
    assert shown == (ROOT / "docs" / "examples" / example).read_text("utf-8")


@pytest.mark.parametrize("document", [*DOCUMENTS, *RESEARCH], ids=name_of)
def test_all_python_shown_runs_and_prints_the_report_that_is_shown(document, capsys):
    names: dict[str, object] = {}
    for block in blocks(document, "python"):
        if find_spec("pettingzoo") is None and re.search("holdem|policy_agent", block):
            continue  # `make slow SUITE=adapters`
        exec(compile(block, document.name, "exec"), names)  # the documents are ours
    if name_of(document) == "reference/agents.md":
        assert blocks(document, "text")[0] in capsys.readouterr().out


def places(document):
    """Return the anchors of a page: what GitHub and the site make of its headings, and those that are set."""
    text = re.sub(r"^```.*?^```$", "", document.read_text("utf-8"), flags=re.MULTILINE | re.DOTALL)
    titles = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    slugs = {re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in titles}
    return slugs | {*re.findall(r'id="([^"]+)"', text)}


def test_links_between_documents_lead_to_a_file_and_a_place_in_it():
    dead = []
    for document in [
        *DOCUMENTS,
        *RESEARCH,
        *(ROOT / name for name in OTHERS),
        *sorted((ROOT / "examples").rglob("*.md")),
    ]:
        for target, place in re.findall(r"\]\((?!https?:)([^)#\s]*)#?([^)]*)\)", document.read_text("utf-8")):
            found = document.parent / target if target else document
            if not found.is_file() or (place and place not in places(found)):
                dead.append(f"{document.relative_to(ROOT)} -> {target}#{place}")
    assert dead == []


def test_the_pages_of_the_site_are_written_with_the_references_of_commands_config_files_and_api(tmp_path):
    docs_site.write(tmp_path / "site")
    for name in ("commands", "config", "files", "api"):
        assert len((tmp_path / "site" / "reference" / f"{name}.md").read_text("utf-8").splitlines()) > 50


def test_every_page_is_in_the_menu_of_the_site():
    menu = (ROOT / "mkdocs.yml").read_text("utf-8").partition("\nnav:\n")[2]
    listed = re.findall(r"- ([\w/-]+\.md)$", menu, re.MULTILINE)
    assert [name_of(document) for document in DOCUMENTS[1:] if name_of(document) not in listed] == []
