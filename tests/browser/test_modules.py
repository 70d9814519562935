"""The pages' scripts keep to what a single file can hold. This needs no browser."""

import re
from pathlib import Path

import molt_bench

STATIC = Path(molt_bench.__file__).parent / "plugins" / "view" / "static"
SCRIPTS = sorted(STATIC.glob("*.js"))
DECLARED = re.compile(r"^(?:export )?(?:async )?(?:function|const|let|class) (\w+)", re.MULTILINE)


def test_no_file_is_longer_than_a_few_screens() -> None:
    for path in [*SCRIPTS, *STATIC.glob("*.css"), STATIC / "index.html"]:
        assert len(path.read_text("utf-8").splitlines()) < 300, path.name
    for path in SCRIPTS:
        assert max(map(len, path.read_text("utf-8").splitlines())) <= 120, path.name


def test_every_export_is_imported_and_every_css_class_is_used() -> None:
    scripts = {path.name: path.read_text("utf-8") for path in SCRIPTS}
    imported = {
        (name, file)
        for text in scripts.values()
        for names, file in re.findall(r'^import \{ ([\w, ]+) \} from "\./(\w+\.js)";', text, re.M)
        for name in names.split(", ")
    }
    for file, text in scripts.items():
        for name in re.findall(r"^export (?:async )?(?:function|const|class) (\w+)", text, re.M):
            assert (name, file) in imported, f"nobody imports {name} of {file}"
    used = "".join([*scripts.values(), (STATIC / "index.html").read_text("utf-8")])
    used = re.sub(r"(?m)//.*$|/\*\*.*?\*/", "", used)
    for path in STATIC.glob("*.css"):
        selectors = re.sub(r"/\*.*?\*/|\{[^{}]*\}", " ", path.read_text("utf-8"), flags=re.S)
        for name in set(re.findall(r"\.([a-z][\w-]*)", selectors)):
            computed = re.match(r"c(?=\d+$)|is-|v-", name)  # written as c${colour}, is-${status}, v-${key}
            assert re.search(rf"(?<![\w-]){re.escape(computed[0] + '${' if computed else name)}", used), name


def test_imports_are_plain_and_lead_to_what_is_exported() -> None:
    exported = {
        path.name: set(re.findall(r"^export (?:async )?(?:function|const|class) (\w+)", path.read_text("utf-8"), re.M))
        for path in SCRIPTS
    }
    for path in SCRIPTS:
        text = path.read_text("utf-8")
        for line in re.findall(r"^import .*$", text, re.M):
            found = re.fullmatch(r'import \{ ([\w, ]+) \} from "\./(\w+\.js)";', line)
            assert found, (path.name, line)
            names = set(found[1].split(", "))
            assert names <= exported[found[2]], (path.name, names - exported[found[2]])
            for name in names:
                assert len(re.findall(rf"\b{name}\b", text)) > 1, f"{path.name} imports {name} and does not use it"
        assert not re.search(r"\bimport\s*\(|export default|^await ", text, re.M), path.name


def test_no_name_is_declared_twice() -> None:
    names = [name for path in SCRIPTS for name in DECLARED.findall(path.read_text("utf-8"))]
    assert len(names) == len(set(names)), {name for name in names if names.count(name) > 1}


def test_data_can_only_become_text() -> None:
    for path in SCRIPTS:
        assert not re.search(
            r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|new Function",
            path.read_text("utf-8").replace("without innerHTML", ""),
        ), path.name


def test_the_page_has_no_inline_style_or_handler_and_names_no_other_host() -> None:
    text = (STATIC / "index.html").read_text("utf-8")
    assert not re.search(r"\sstyle=|\son\w+=|https?://|<style", text)
    for path in [*SCRIPTS, *STATIC.glob("*.css")]:
        assert not re.search(r"https?://(?!www\.w3\.org/2000/svg)", path.read_text("utf-8")), path.name
