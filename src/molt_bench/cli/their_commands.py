"""Commands of plug-ins with what ours have: examples, `--no-color`, agents, runs, one object of JSON."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from molt_bench.cli import config_flags, run_or_resume
from molt_bench.cli.agent_argument import AgentOptions
from molt_bench.cli.options import (
    PlayersOptions,
    ResumeOptions,
    RunOptions,
    resume_option,
    run_agents_option,
    run_options,
)
from molt_bench.cli.parser import Command, grouped, set_by
from molt_bench.cli.streams import print_json
from molt_bench.runs import folder as run_folder
from molt_bench.runs import master_seed


class TheirCommand(Command):
    """A command of a plug-in."""

    def __init__(self, theirs: click.Command) -> None:
        super().__init__(theirs.name, help=theirs.help, callback=theirs.callback, params=[*theirs.params])
        self._agents = [str(param.name) for param in theirs.params if param.metavar == "AGENT"]
        if self._agents:
            own = click.command(grouped(AgentOptions, "agent")(lambda agent: agent)).params
            self.params += [param for param in own if isinstance(param, click.Option)]

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command, and print what it returns if that is asked for."""
        if self._agents:
            given = {name: ctx.params.pop(name) for name in ("params", "sandbox")}
            ctx.params |= {name: AgentOptions(agent=ctx.params[name], **given).maker() for name in self._agents}
        returned = super().invoke(ctx)
        if not isinstance(returned, Mapping):
            return returned
        if ctx.params.get("as_json"):
            print_json(returned)
        return None


def hosting_command(theirs: click.Command) -> click.Command:
    """Return a command that plays or resumes a run which a plug-in hosts; its own options are the plug-in's."""

    @grouped(PlayersOptions, "players")
    @grouped(ResumeOptions, "changes")
    @run_options
    @resume_option
    @run_agents_option
    def play(
        players: PlayersOptions,
        changes: ResumeOptions,
        options: RunOptions,
        *,
        resume_last: bool,
        run_agents: bool,
        **own: Any,
    ) -> None:
        players.check()
        secret, file = master_seed.secret_from(None), players.path()
        folder = file if file is not None and Path(file, run_folder.JOURNAL).is_file() else None
        if folder is not None and players.participants is not None:
            raise click.BadParameter("a run has its participants already", param_hint="--participants")
        live = theirs.callback(**own) if theirs.callback is not None else None
        if folder is not None:
            run_or_resume.resume_run(folder, options, changes=changes, secret=secret, live=live, run_agents=run_agents)
            return
        config = config_flags.config_from(file, set_by(players) | set_by(changes), changes.assignments)
        run_or_resume.start_run(config, options, secret=secret, resume_last=resume_last, live=live)

    command = click.command(theirs.name, cls=Command, help=theirs.help)(play)
    command.params[-1:-1] = theirs.params
    return command
