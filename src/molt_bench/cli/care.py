"""Care: what a user asked for about participants that fail, before, during and after a run."""

import msgspec


class Care(msgspec.Struct, frozen=True, kw_only=True):
    """How participants that fail are dealt with.

    Attributes:
        preflight: Whether everybody is asked once before the first card.
    """

    preflight: bool = True
