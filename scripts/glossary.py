"""The glossary: one list of terms, from which the page of the docs and the hover texts of the viewer are written.

`python scripts/glossary.py` writes both; `make format` does, too, and a test compares them.
"""

import json
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[1]
PAGE: Final = ROOT / "docs" / "reference" / "glossary.md"
SCRIPT: Final = ROOT / "src" / "molt_bench" / "plugins" / "view" / "static" / "glossary.js"

#: Each term: what it means, short enough for one line, and where the docs say more.
TERMS: Final = {
    "agent": ("A player: a bot, a program, a server, a language model or a person.", "reference/agents.md"),
    "bb/100": ("Big blinds won per 100 hands, with the luck taken out: an agent's result.", "why/methods.md"),
    "raw": ("The same in chips as they were won, luck included.", "why/methods.md"),
    "hand": (
        "One deal of cards, from the blinds to the end of the betting or the showdown.",
        "reference/run-folder.md",
    ),
    "game": ("A number of hands between two agents, dealt from one seed.", "reference/run-folder.md"),
    "seed pair": (
        "Two games on the same cards with the seats swapped, counted as one number: the unit of all statistics.",
        "why/methods.md",
    ),
    "match": ("One meeting of two agents: a number of seed pairs.", "why/methods.md"),
    "margin": ("What one agent wins from the other in a seed pair, per hand.", "why/methods.md"),
    "±": ("Half of the interval that decides, which allows for a look after every round.", "why/methods.md"),
    "lead": (
        "How much more one agent wins from the whole field, itself included, than the next one in the ranking.",
        "why/methods.md",
    ),
    "tie": (
        "Two agents surely within 1.25 tie margins of each other: too close to matter.",
        "why/methods.md",
    ),
    "sure": (
        "The largest threshold at which two neighbours would be called ordered or tied.",
        "why/methods.md",
    ),
    "rank": (
        "The place in the ranking, or a range such as 2-5 where agents are not told apart.",
        "why/methods.md",
    ),
    "estimator": (
        "What results are measured by: the chips, or the chips without luck. Both are unbiased.",
        "why/methods.md",
    ),
    "mu±sigma": ("The OpenSkill rating, which counts matches won, not how much was won.", "why/methods.md"),
    "fault": (
        "A mistake of an agent, recorded and never corrected: an illegal action, an exception, no answer in time.",
        "reference/agents.md",
    ),
    "reference": ("The agent that everyone plays in a gauntlet; its result is 0.", "why/methods.md"),
}  # fmt: skip


def page() -> str:
    """Return the page of the docs."""
    rows = [
        f'| <a id="{anchor(term)}"></a>**{term}** | {text} | [more](../{link}) |'
        for term, (text, link) in TERMS.items()
    ]
    head = "Words that tables, pages and docs use. The viewer shows the same texts where you hover over a column."
    return "\n".join(["# Glossary", "", head, "", "| term | meaning | |", "|---|---|---|", *rows, ""])


def script() -> str:
    """Return the module of the viewer."""
    texts = json.dumps({term: text for term, (text, _) in TERMS.items()}, indent=2, ensure_ascii=False)
    lines = [f"{line}," if line.endswith('"') else line for line in texts.splitlines()]
    return "\n".join(
        [
            "// What terms mean, for those who hover: written by scripts/glossary.py, as the page of the docs is.",
            "export const GLOSSARY = " + "\n".join(unquoted(line) for line in lines) + ";",
            "",
        ]
    )


def unquoted(line: str) -> str:
    """Write a key without quotes where it is a name, as formatters of scripts do.

    >>> unquoted('  "hand": "One deal.",'), unquoted('  "seed pair": "Two games.",')
    ('  hand: "One deal.",', '  "seed pair": "Two games.",')
    """
    key, found, rest = line.partition('": "')
    name = key.strip().removeprefix('"')
    return f'  {name}: "{rest}' if found and name.isidentifier() and name.isascii() else line


def anchor(term: str) -> str:
    """Return the name that links have for a term.

    >>> anchor("seed pair"), anchor("bb/100")
    ('seed-pair', 'bb-100')
    """
    return "".join(each if each.isalnum() else "-" for each in term.lower()).strip("-")


def main() -> None:
    """Write the page and the script."""
    PAGE.write_text(page(), "utf-8", newline="\n")
    SCRIPT.write_text(script(), "utf-8", newline="\n")


if __name__ == "__main__":
    main()
