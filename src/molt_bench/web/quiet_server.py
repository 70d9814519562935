"""A web server that keeps quiet: no log, in which a secret of a URL could stand, and no headers about itself."""

from typing import Any

import uvicorn


def quiet_server(app: Any, *, grace_s: int, **options: Any) -> uvicorn.Server:
    """Return a server for an application; connections get `grace_s` seconds to end when it stops."""
    config = uvicorn.Config(
        app,
        log_level="critical",
        access_log=False,
        server_header=False,
        date_header=False,
        timeout_graceful_shutdown=grace_s,
        **options,
    )
    return uvicorn.Server(config)
