"""The scripts of the pages import what they use: a name that is missing breaks a page only when it is opened."""

import re

from molt_bench.plugins.view.inlined import STATIC

SCRIPTS = {path.name: path.read_text("utf-8") for path in sorted(STATIC.glob("*.js"))}
EXPORTED = re.compile(r"^export (?:async )?(?:function|const|class) (\w+)", re.MULTILINE)


def code_of(text):
    """Return a script without comments, texts and the names of properties."""
    text = re.sub(r"/\*.*?\*/|(?<!:)//[^\n]*|\"[^\"\n]*\"", "", text, flags=re.DOTALL)
    return re.sub(r"\.\w+|\b\w+:(?!:)", "", text)


def test_what_another_script_exports_is_imported_where_it_is_used():
    exported = {name for text in SCRIPTS.values() for name in EXPORTED.findall(text) if re.search(r"[a-z][A-Z]", name)}
    assert len(exported) > 50
    for file, text in SCRIPTS.items():
        code = code_of(text)
        known = {name for names in re.findall(r"^import \{([^}]*)\}", text, re.MULTILINE) for name in names.split(",")}
        known = {name.strip() for name in known} | {*re.findall(r"(?:function|const|let|class) (\w+)", text)}
        bound = {name for names in re.findall(r"\{([^{}=>]*)\} ?[=,)]", code) for name in re.findall(r"\w+", names)}
        used = {name for name in exported if re.search(rf"(?<![\w$]){name}\b", code)}
        assert used - known - bound == set(), file
