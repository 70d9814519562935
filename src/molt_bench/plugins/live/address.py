"""The address of the live server. Behind a proxy, for TLS or a path of its own, the public URL counts."""

from urllib.parse import urlsplit

import msgspec

from molt_bench.errors import ConfigError
from molt_bench.plugins.web_server import url_of


class ServerAddress(msgspec.Struct, frozen=True, kw_only=True):
    """Where a server listens, and where it is reached.

    Attributes:
        public_url: The URL under which guests reach it, without a slash at the end; None if they come directly.
    """

    host: str
    port: int
    public_url: str | None = None

    @property
    def url(self) -> str:
        """The URL to print: the public one, or the one for this machine."""
        return self.public_url or url_of(self.host, self.port)

    @property
    def prefix(self) -> str:
        """The path of the public URL, which a proxy may leave in front or take away."""
        return urlsplit(self.public_url or "").path


def public_url(given: str) -> str:
    """Return a public URL as it is used, or raise ConfigError.

    >>> public_url("https://bench.example.org/poker/")
    'https://bench.example.org/poker'
    """
    problem = ConfigError("--public-url", given, "a URL such as https://bench.example.org/poker")
    try:
        parts = urlsplit(given.strip())
        port = parts.port
    except ValueError:
        raise problem from None
    plain = not (parts.query or parts.fragment or parts.username) and port != 0
    if parts.scheme not in ("http", "https") or not parts.hostname or not plain or not given.strip().isascii():
        raise problem
    return f"{parts.scheme}://{parts.netloc}{parts.path.rstrip('/')}"
