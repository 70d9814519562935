"""`molt-bench report`: the files of a run, rebuilt from its journal."""

import click

from molt_bench.cli.options import Printing, printing_options, run_folder_argument
from molt_bench.cli.parser import Command
from molt_bench.cli.run_result import rebuild_run


@click.command(cls=Command)
@run_folder_argument
@click.option("--explain", is_flag=True, help="Also explain how each number came about.")
@printing_options
def report(folder: str, *, explain: bool, printing: Printing) -> None:
    """Rebuild a run's files from its journal and print the table.

    For a run in progress, print the current table and write nothing.

    Examples:
      molt-bench report benchmark-results/2026-01-31T12-00-00
      molt-bench report benchmark-results/2026-01-31T12-00-00 --explain
    """
    rebuild_run(folder, printing, explain=explain)
