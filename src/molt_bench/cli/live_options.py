"""Where live agents connect: options of `serve`."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Literal

import click

from molt_bench.cli.parser import NOT_NEGATIVE, PORT, POSITIVE, flag
from molt_bench.cli.streams import notice
from molt_bench.serve import live_run, public_address


@dataclass(frozen=True, kw_only=True)
class ConnectionOptions:
    """Where agents connect, and how long they are waited for."""

    host: str | None = flag("Address to listen on; by default, this machine only.", metavar="ADDRESS")
    port: int | None = flag("Port; by default, any free one.", type=PORT)
    join_timeout: float | None = flag(
        "How long to wait for everyone to join; by default, without limit.", metavar="SECONDS", type=POSITIVE
    )
    if_missing: Literal["end", "play"] = flag(
        "What to do if somebody is missing by then: end the run, or play without them.",
        default="end",
        type=click.Choice(["end", "play"]),
    )
    reconnect: float = flag(
        "How long an agent that lost its connection may stay away in each game.",
        metavar="SECONDS",
        default=60.0,
        type=NOT_NEGATIVE,
    )
    linger: float = flag(
        "How long the server stays up after the end, until every agent knows that the run is over.",
        default=60.0,
        metavar="SECONDS",
        type=NOT_NEGATIVE,
    )
    stay: bool = flag("Stay up after the end until stopped, for agents that come back late.", default=False)
    public_url: str | None = flag(
        "URL under which guests reach the server, through a proxy or a tunnel.", metavar="URL"
    )

    def settings(self, earlier: Path | None, *, stay: bool, on_stop: Callable[[], None]) -> live_run.ServeOptions:
        """Return the settings of the server, which may `stay` after the end; `on_stop` is called if it is stopped then.

        `earlier` is the folder of a run whose invitations are used again.
        """
        return live_run.ServeOptions(
            host=self.host,
            port=self.port,
            join_timeout_s=self.join_timeout,
            reconnect_s=self.reconnect,
            public_url=None if self.public_url is None else public_address.public_url(self.public_url),
            earlier=earlier,
            if_missing=self.if_missing,
            linger_s=self.linger,
            stay=stay,
            on_stop=on_stop,
            say=partial(print, flush=True),
            note=notice,
        )
