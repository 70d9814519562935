"""Who may see what in the viewer: its token, which `molt-bench view` prints, opens everything.

From other machines, nothing is shown without it. On this machine, only the cards of a run with live agents that has not
ended are kept back: an agent that plays here could read there what its opponents folded.
"""

import hmac
import re
import secrets
from typing import Final

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from molt_bench.view.library import Library

#: The pages of a run that show cards, or what models said of theirs.
_WITH_CARDS: Final = re.compile(r"api/runs/([^/]+)/(?:hands|search|match/.*|hand/.*)\.json")
NEEDS_TOKEN: Final = "open the whole address that `molt-bench view` printed, with its token"


class Access:
    """The token of a viewer, and what it takes to see a page.

    Args:
        port: The port of the viewer: browsers keep cookies by host, so that those of several viewers need names.
        local: Whether it can be reached from this machine alone.
    """

    def __init__(self, *, port: int, local: bool) -> None:
        self.token = secrets.token_hex(16)
        self._cookie = f"molt_bench_{port}"
        self._local = local

    def refusal(self, request: Request, library: Library) -> str | None:
        """Return why a page is not shown, if it is not."""
        if self._is_token(request.cookies.get(self._cookie, "")):
            return None
        if not self._local:
            return NEEDS_TOKEN
        run = _WITH_CARDS.fullmatch(request.path_params["path"])
        if run is None or not library.has_guests(run[1]):
            return None
        return f"cards are hidden until this run with live agents has ended: to see them, {NEEDS_TOKEN}"

    def entered(self, request: Request) -> Response | None:
        """Return the answer to a browser that comes with the token: it keeps it, and the address no longer shows it."""
        if "token" not in request.query_params or not self._is_token(request.query_params["token"]):
            return None
        response = RedirectResponse(request.url.path, 303)
        response.set_cookie(self._cookie, self.token, httponly=True, samesite="strict")
        return response

    def _is_token(self, given: str) -> bool:
        return hmac.compare_digest(given.encode("utf-8", "replace"), self.token.encode())
