"""A server that says nothing about itself: the viewer and live agents share it. It needs uvicorn, an extra."""

from typing import Any

import uvicorn


def quiet_server(app: Any, *, grace_s: int, **options: Any) -> uvicorn.Server:
    """Return a server without a log, in which a secret of a URL could stand, and without headers about itself.

    Connections get `grace_s` seconds to end when it stops.
    """
    quiet: dict[str, Any] = {"log_level": "critical", "access_log": False, "server_header": False, "date_header": False}
    return uvicorn.Server(uvicorn.Config(app, **quiet, timeout_graceful_shutdown=grace_s, **options))
