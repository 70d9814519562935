"""The lobby: who is invited, who is there, and which slot an agent gets in a game."""

import hmac
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from hashlib import sha256
from typing import Final

from molt_bench.plugins.live.agent import LiveAgent
from molt_bench.plugins.live.attendance import RECONNECT_S
from molt_bench.plugins.live.invitations import Invited
from molt_bench.plugins.live.mailbox import Mailbox
from molt_bench.specs import GameLabel, GameSpec, Seating

#: What is said of an agent that has forfeited too many games.
LEFT: Final = "has left: the run goes on without it"


class Invitation:
    """An invitation: the URL that one agent got, and its slots.

    Attributes:
        title: What pages call it.
        told: Whether it has learnt that the run is over.
        left: Whether it has forfeited so many games that the run goes on without it.
    """

    def __init__(self, invited: Invited, *, title: str, mailbox: Callable[[bytes], Mailbox]) -> None:
        self.invited = invited
        self.title = title
        self.secret = hmac.digest(bytes.fromhex(invited.key), b"molt-bench live", "sha256")
        self.slots = [mailbox(hmac.digest(self.secret, b"place %d" % at, "sha256")) for at in range(invited.slots)]
        self.told = False
        self.left = False

    def __str__(self) -> str:
        """Return what it is called in lists: its participant."""
        return self.title

    @property
    def came(self) -> bool:
        """Whether an agent has come with it: it has asked for a decision, or opened a socket."""
        return any(slot.came for slot in self.slots)

    @property
    def filled(self) -> int:
        """In how many of its slots a client plays."""
        return sum(slot.filled for slot in self.slots)

    def derived(self, *labels: str) -> str:
        """Return a secret text for a use of this invitation, such as an API key; the same after a restart."""
        return hmac.new(self.secret, "\0".join(labels).encode(), sha256).hexdigest()


class Lobby:
    """All invitations of a run; it seats the agents that have come.

    Attributes:
        invitations: One for each live agent, or one for each copy of it.
        game: The settings of every game.
        opponents: How many others each agent may meet.
        closed: Why the run is over; None while it is not.

    Args:
        titles: What pages call each participant of the run.
        reconnect_s: Seconds in a game for which an agent that lost its connection may be late.
    """

    def __init__(
        self,
        invited: Iterable[Invited],
        *,
        titles: Mapping[str, str],
        game: GameSpec,
        reconnect_s: float = RECONNECT_S,
    ) -> None:
        mailbox = partial(Mailbox, reconnect_s=reconnect_s)
        self.invitations = [Invitation(each, title=titles[each.participant], mailbox=mailbox) for each in invited]
        self.game = game
        self.opponents = len(titles) - 1
        self.closed: str | None = None
        for each in self.invitations:
            for slot in each.slots:
                slot.tell = partial(self.tell, each)
        self._taken: set[int] = set()
        self._by_digest = {sha256(each.invited.token.encode()).digest(): each for each in self.invitations}

    def find(self, token: str) -> Invitation | None:
        """Return the invitation with this token; the time it takes tells nothing about other tokens."""
        return self._by_digest.get(sha256(token.encode("utf-8", "surrogatepass")).digest())

    def missing(self) -> list[Invitation]:
        """Return the invitations that are not used yet; the run does not wait for those who left."""
        return [each for each in self.invitations if not each.came and not each.left]

    def gather(self) -> None:
        """Invite all guests, and return when they are there."""

    def tell(self, invitation: Invitation, said: str) -> None:
        """Take note of what an agent does: it is away, is back, forfeits a game, or has left."""

    def places(self, participant: str, seating: Seating) -> tuple[str, int]:
        """Return the participant, which plays both seatings, and how many games it can play at once now.

        That is the number of slots in which a client plays, since a client may hold one alone; at least one, so that
        the run goes on without an agent that is gone.
        """
        return participant, max(1, self._invitation(participant).filled)

    def make(self, participant: str, game: GameLabel, spec: GameSpec | None = None) -> LiveAgent:
        """Return the agent of a live participant in one game; there must be a free slot, best one that is filled."""
        found = self._invitation(participant)
        slot = min((each for each in found.slots if id(each) not in self._taken), key=lambda each: not each.filled)
        self._taken.add(id(slot))
        return LiveAgent(
            participant,
            slot,
            game=game,
            action_timeout_s=self.game.action_timeout_s,
            on_close=lambda: self._taken.discard(id(slot)),
        )

    def close(self, reason: str) -> None:
        """Tell all that the run is over."""
        self.closed = self.closed or reason
        for invitation in self.invitations:
            for slot in invitation.slots:
                slot.close(reason)

    def dismiss(self, participant: str, forfeited: int) -> None:
        """Tell a live agent that the run goes on without it, since it forfeited so many games."""
        for invitation in self.invitations:
            if invitation.invited.participant == participant and invitation.slots[0].closed is None:
                for slot in invitation.slots:
                    slot.close(f"you forfeited {forfeited} games, so the run goes on without you")
                if not invitation.left:
                    self.tell(invitation, LEFT)
                invitation.left = True

    def all_told(self) -> bool:
        """Return whether all who came have learnt that the run is over."""
        return all(each.told or not each.came for each in self.invitations)

    def _invitation(self, participant: str) -> Invitation:
        return next(each for each in self.invitations if each.invited.participant == participant)
