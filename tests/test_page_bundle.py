"""The script of the pages, made from their modules when the package is built."""

from pathlib import Path

import pytest
from page_bundle import BUNDLE, ENTRY, STATIC, bundle

ROOT = Path(__file__).parents[1]


def test_the_script_is_the_one_that_the_modules_give():
    """If this fails, a module was edited since the last build: run python hatch_build.py."""
    static = ROOT / STATIC
    modules = {path.relative_to(static).as_posix(): path.read_text("utf-8") for path in static.rglob("*.js")}
    assert (ROOT / BUNDLE).read_text("utf-8") == bundle(modules, ENTRY)


def test_modules_are_bundled_in_the_order_of_their_needs():
    modules = {
        "app.js": 'import {\n  one,\n  two as deux,\n} from "./a.js";\nimport { load } from "./b.js";\n',
        "a.js": 'import { C } from "./b.js";\nexport const one = 1;\nexport let two = 2;\n',
        "b.js": "export async function load() {}\nexport class C {}\n",
    }
    script = bundle(modules, "app.js")
    assert script.index('modules["b.js"] =') < script.index('modules["a.js"] =') < script.index('modules["app.js"] =')
    assert "two: deux" in script
    assert "return {load, C};" in script
    assert "import" not in script
    assert "export" not in script


@pytest.mark.parametrize(
    ("modules", "said"),
    [
        ({"app.js": 'import {a} from "./a.js";', "a.js": 'import {b} from "./app.js";'}, "in a circle"),
        ({"app.js": 'import {a} from "./a.js";'}, "no such script"),
        ({"app.js": 'import {a} from "https://evil.example/a.js";'}, "only paths that begin"),
        ({"app.js": 'import * as a from "./a.js";'}, "beyond what can be"),
        ({"app.js": 'import "./a.js";'}, "beyond what can be"),
        ({"app.js": "const a = 1;\nexport { a };"}, "beyond what can be"),
        ({"app.js": "const a = await import('./a.js');"}, "beyond what can be"),
        ({"app.js": "export default function () {}"}, "beyond what can be"),
    ],
)
def test_what_cannot_be_bundled_is_said(modules, said):
    with pytest.raises(ValueError, match=said):
        bundle(modules, "app.js")
