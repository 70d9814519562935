"""`molt-bench publish`: a static site of a folder of runs."""

from pathlib import Path
from typing import Annotated

import typer

from molt_bench.cli.completion import run_folders
from molt_bench.cli.options import Printing, not_negative
from molt_bench.cli.streams import print_json, warn
from molt_bench.errors import ConfigError


def publish(
    folder: Annotated[
        str, typer.Argument(metavar="DIR", help="Folder of runs, or of one run.", autocompletion=run_folders)
    ],
    output: Annotated[str, typer.Option(metavar="SITE", help="Folder for the site; replaced if it is one.")] = "site",
    deals: Annotated[
        int, typer.Option(callback=not_negative, metavar="N", help="Deals of each run, the biggest swings first.")
    ] = 2000,
    *,
    printing: Printing,
) -> None:
    """Write runs as a static site for any web host, with all pages, the runs' files and their hashes.

    Examples:
      molt-bench publish benchmark-results --output site
    """
    from molt_bench.view.library import Library  # here, since other commands start faster without the viewer
    from molt_bench.view.publish import publish as write_site

    library, published = Library(folder), list[str]()
    if Path(output).absolute().is_relative_to(library.runs.root):
        raise ConfigError("--output", output, "a folder outside the folder of runs")
    try:
        for run in write_site(library, Path(output), most_deals=deals, warn=warn):
            published.append(str(run))
            printing.notice(f"wrote {run}")
    except OSError as error:
        raise ConfigError("--output", output, f"a folder that can be written ({error.strerror})") from error
    runs = "run" if len(published) == 1 else "runs"
    printing.notice(f"wrote {len(published):,} {runs} to {output}; put it on any web host")
    if printing.as_json:
        print_json({"site": output, "runs": published})
