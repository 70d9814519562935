"""Commands of plug-ins with what ours have: examples, completion, `--no-color`, agents, runs, one object of JSON."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import click

from molt_bench.cli import config_flags, run_or_resume
from molt_bench.cli.agent_argument import agent_from, maker_of
from molt_bench.cli.completion import Completion, agent_lists, run_folders
from molt_bench.cli.options import (
    ConfigOptions,
    RunOptions,
    StopOptions,
    config_options,
    param_option,
    resume_option,
    run_agents_option,
    run_options,
    sandbox_option,
    stop_options,
)
from molt_bench.cli.parser import Command
from molt_bench.cli.streams import print_json
from molt_bench.runs import folder as run_folder
from molt_bench.runs import master_seed

#: What a shell offers for an argument or an option, by its metavar.
_OFFERED: Final[Mapping[str | None, Completion]] = {"AGENT": agent_lists, "RUN": run_folders}


class TheirCommand(Command):
    """A command of a plug-in."""

    def __init__(self, theirs: click.Command) -> None:
        super().__init__(theirs.name, help=theirs.help, callback=theirs.callback, params=[*theirs.params])
        for param in theirs.params:
            param._custom_shell_complete = _OFFERED.get(param.metavar)
        self._agents = [param.name for param in theirs.params if param.metavar == "AGENT"]
        if self._agents:
            self.params += _params_of(param_option, sandbox_option)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command, and print what it returns if that is asked for."""
        if self._agents:
            params, sandbox = ctx.params.pop("params"), ctx.params.pop("sandbox")
            made = {name: maker_of(agent_from(ctx.params[name], params, sandbox)) for name in self._agents if name}
            ctx.params.update(made)
        returned = super().invoke(ctx)
        if not isinstance(returned, Mapping):
            return returned
        if ctx.params.get("as_json"):
            print_json(returned)
        return None


def _params_of(*options: Any) -> list[click.Parameter]:
    """Return the params that decorators of options make."""

    def command() -> None:
        pass

    for option in options:
        option(command)
    return list(getattr(command, "__click_params__", ()))


participants_option = click.option(
    "--participants",
    metavar="LIST",
    help="Who plays, such as live,tag; without a file, or in place of those it names.",
    shell_complete=agent_lists,
)


def hosting_command(theirs: click.Command) -> click.Command:
    """Return a command that plays or resumes a run which a plug-in hosts; its own options are the plug-in's."""

    @config_options
    @participants_option
    @stop_options
    @run_options
    @resume_option
    @run_agents_option
    def play(
        config_file: ConfigOptions,
        participants: str | None,
        stop: StopOptions,
        options: RunOptions,
        *,
        resume_last: bool,
        run_agents: bool,
        **own: Any,
    ) -> None:
        secret = master_seed.secret_from(None)
        file = config_file.path()
        if file is None and participants is None:
            raise click.BadParameter(
                "a config is needed: FILE, or --config FILE, or --participants LIST", param_hint="FILE"
            )
        folder = file if file is not None and Path(file, run_folder.JOURNAL).is_file() else None
        if folder is not None and participants is not None:
            raise click.BadParameter("a run has its participants already", param_hint="--participants")
        live = theirs.callback(**own) if theirs.callback is not None else None
        if folder is not None:
            run_or_resume.resume_run(folder, options, stop=stop, secret=secret, live=live, run_agents=run_agents)
            return
        config = config_flags.config_to_run(file, {**stop.fields(), "participants": participants}, stop.assignments)
        run_or_resume.start_or_go_on(config, options, secret=secret, resume_last=resume_last, live=live)

    command = click.command(theirs.name, cls=Command, help=theirs.help)(play)
    command.params[-1:-1] = theirs.params
    return command
