"""What a build makes: the compiled kernels, if there is a C compiler, the script of the pages, and the description.

Without a compiler the package is pure Python. Run by itself (`python hatch_build.py`), it makes both in a checkout.
"""

import os
import shlex
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent
FOLDER = Path("src/molt_bench/kernels")
#: Python's stable interface: one file serves every version from 3.11 on.
COMPILED = "_compiled.abi3.so"
#: No contraction of products and sums, so that every machine and pure Python get the same last bit.
FLAGS = ("-O3", "-std=c11", "-fPIC", "-fvisibility=hidden", "-ffp-contract=off", "-fno-fast-math")


def compiled(root: str) -> bool:
    """Compile the kernels into their folder; return whether that worked, and say why it did not."""
    folder = Path(root, FOLDER)
    made = folder / COMPILED
    made.unlink(missing_ok=True)
    if os.environ.get("MOLT_BENCH_PURE"):
        return False
    linked = ("-bundle", "-undefined", "dynamic_lookup") if sys.platform == "darwin" else ("-shared",)
    sources = sorted(str(path) for path in folder.glob("*.c"))
    include = sysconfig.get_paths()["include"]
    partly = folder / f".{os.getpid()}.so"
    try:
        compiler = shlex.split(os.environ.get("CC", "")) or ["cc"]
        done = subprocess.run(
            [*compiler, *FLAGS, *linked, f"-I{include}", *sources, "-lm", "-o", str(partly)],
            capture_output=True,
            text=True,
        )
        if done.returncode:
            raise OSError(done.stderr.strip().splitlines()[0] if done.stderr.strip() else "no reason given")
        partly.replace(made)
    except (OSError, ValueError) as error:
        print(f"molt-bench stays pure Python, which is slower: {error}", file=sys.stderr)
        partly.unlink(missing_ok=True)
        return False
    return True


def description(repository: str, version: str) -> str:
    """Return the README as an index shows it."""
    sys.path.insert(0, str(ROOT / "scripts"))
    from package_readme import described

    return described((ROOT / "README.md").read_text("utf-8"), repository, version)


def script() -> str:
    """Write the pages' script, and return its path in the checkout."""
    sys.path.insert(0, str(ROOT / "scripts"))
    from page_bundle import write_bundle

    return write_bundle(ROOT).relative_to(ROOT).as_posix()


try:
    from hatchling.builders.hooks.plugin.interface import BuildHookInterface
    from hatchling.metadata.plugin.interface import MetadataHookInterface
except ImportError:  # run by itself
    pass
else:

    class Described(MetadataHookInterface):  # type: ignore[misc]
        """The metadata hook of hatchling."""

        PLUGIN_NAME = "custom"

        def update(self, metadata: dict[str, Any]) -> None:
            """Set the description, and the address of the repository if it is known."""
            repository = os.environ.get("MOLT_BENCH_REPOSITORY") or self.config["repository"]
            text = description(repository, metadata["version"])
            metadata["readme"] = {"content-type": "text/markdown", "text": text}
            metadata["urls"] = {"Source": repository} if repository else {}

    class Made(BuildHookInterface):  # type: ignore[misc,type-arg]
        """The build hook of hatchling."""

        PLUGIN_NAME = "custom"

        def initialize(self, version: str, build_data: dict[str, Any]) -> None:
            """Put the pages' script into the wheel, and what was compiled with a tag for this platform."""
            if self.target_name != "wheel":
                return
            build_data["artifacts"].append(f"/{script()}")
            if not compiled(self.root):
                return
            if version == "standard":
                platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
                build_data["pure_python"] = False
                build_data["tag"] = f"cp311-abi3-{platform}"
                build_data["artifacts"].append(f"/{FOLDER.as_posix()}/{COMPILED}")


if __name__ == "__main__":
    script()
    sys.exit(0 if compiled(str(ROOT)) else 1)
