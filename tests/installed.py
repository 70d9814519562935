"""The entry points of this checkout: an installation in place has only those that there were when it was made."""

import os
import sys
import tomllib
from importlib import metadata
from pathlib import Path

ROOT = Path(__file__).parents[1]


def use_own_entry_points() -> None:
    """Have those of `pyproject.toml` found, here and in programs that tests start, where others are installed."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    groups = {**project["entry-points"], "console_scripts": project["scripts"]}
    wanted = {(group, name, value) for group, points in groups.items() for name, value in points.items()}
    installed = metadata.distribution("molt-bench")
    if {(each.group, each.name, each.value) for each in installed.entry_points} == wanted:
        return
    folder = ROOT / "build" / "entry-points" / "molt_bench-0.dist-info"
    folder.mkdir(parents=True, exist_ok=True)
    lines = [
        f"[{group}]\n" + "".join(f"{name} = {points[name]}\n" for name in points) for group, points in groups.items()
    ]
    for name, text in (("METADATA", installed.read_text("METADATA") or ""), ("entry_points.txt", "\n".join(lines))):
        part = folder / f"{name}.{os.getpid()}"
        part.write_text(text, "utf-8")
        part.replace(folder / name)
    sys.path.insert(0, str(folder.parent))
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, (str(folder.parent), os.environ.get("PYTHONPATH"))))
