"""`molt-bench publish`: a static site of a folder of runs."""

from pathlib import Path

import click

from molt_bench.cli.options import PATH, RUNS, Printing, printing_options
from molt_bench.cli.parser import NONE_OR_MORE, Command
from molt_bench.cli.streams import notice, warn
from molt_bench.errors import ConfigError
from molt_bench.files import writing
from molt_bench.view.library import Library
from molt_bench.view.publish import publish as write_site


@click.command(cls=Command)
@click.argument("folder", **RUNS)
@click.option(
    "--output",
    metavar="SITE",
    type=PATH,
    default="site",
    help="Folder for the site; an earlier site in it is replaced.",
)
@click.option("--deals", type=NONE_OR_MORE, default=2000, help="Most deals of a run to show, the biggest swings first.")
@printing_options
def publish(folder: str, output: str, deals: int, printing: Printing) -> None:
    """Write runs as a static site for any web host, with all pages, their files and hashes.

    Examples:
      molt-bench publish benchmark-results --output site
    """
    library, published = Library(folder), list[str]()
    if Path(output).absolute().is_relative_to(library.runs.root):
        raise ConfigError("--output", output, "a folder outside the folder of runs")
    with writing("--output", output, "a folder"):
        for run in write_site(library, Path(output), most_deals=deals, warn=warn):
            published.append(str(run))
            printing.notice(f"wrote {run}")
    written = f"{len(published):,} run{'s' * (len(published) != 1)}"
    content = {"site": output, "runs": published}
    printing.answer(content, lambda: notice(f"wrote {written} to {output}; put it on any web host"))
