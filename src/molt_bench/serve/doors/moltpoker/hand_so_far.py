"""A hand that a client comes to in the middle, as moltpoker tells one: a state after each action. Pure: no I/O."""

from collections.abc import Iterator

from molt_bench.agents.live.mailbox_events import PendingDecision
from molt_bench.poker.actions import OPEN_CARDS
from molt_bench.poker.betting import opening
from molt_bench.serve.doors.moltpoker.server_messages import Client, Message, state_payload


def states_before(client: Client, turn: PendingDecision) -> Iterator[tuple[tuple[int, ...], Message]]:
    """Yield the state after each action of a hand but the last, which the decision itself shows, with its board.

    Nobody is to act in them, so that no client takes one for a decision.
    """
    seen = turn.observation
    betting = opening.of(seen.rules, seen.starting_stacks, seen.button)
    for done in seen.log[:-1]:
        after = betting.after(done.kind, done.amount)
        assert after is not None, "the log of a hand has legal actions"
        betting = after
        board = seen.board[: OPEN_CARDS[betting.street]]
        payload = state_payload(client, turn, phase=betting.street, board=board, last=done)
        for seat, player in enumerate(payload["players"]):
            player |= {"stack": betting.stacks[seat], "bet": betting.bets[seat], "allIn": betting.stacks[seat] == 0}
        payload |= {"pots": [{"amount": betting.pot, "eligibleSeats": [0, 1]}]}
        yield board, Message("game_state", payload, turn.seq)
