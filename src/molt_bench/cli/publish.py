"""`molt-bench publish`: a static site of a folder of runs."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from molt_bench.errors import ConfigError


def publish(
    folder: Annotated[str, typer.Argument(metavar="DIR", help="Folder of runs, or of one run.")],
    output: Annotated[str, typer.Option(metavar="SITE", help="Folder for the site; replaced if it is one.")] = "site",
    deals: Annotated[int, typer.Option(min=0, metavar="N", help="Deals of each run, the biggest swings first.")] = 2000,
) -> None:
    """Write runs as a static site for any web host, with all pages, the runs' files and their hashes."""
    from molt_bench.view.library import Library  # here, since other commands start faster without the viewer
    from molt_bench.view.publish import publish as write_site

    library, count = Library(folder), 0
    if Path(output).absolute().is_relative_to(library.runs.root):
        raise ConfigError("--output", output, "a folder outside the folder of runs")
    try:
        for run in write_site(library, Path(output), most_deals=deals):
            count += 1
            print(f"molt-bench: wrote {run}", file=sys.stderr)
    except OSError as error:
        raise ConfigError("--output", output, f"a folder that can be written ({error.strerror})") from error
    runs = "run" if count == 1 else "runs"
    print(f"molt-bench: wrote {count:,} {runs} to {output}; put it on any web host", file=sys.stderr)
