"""A package of one file that adds a kind of agents, a command, an export, a luck term and an observer to molt-bench."""

from types import SimpleNamespace

import click

from molt_bench import Action
from molt_bench.plugin import Export, Kind, RunObserver
from molt_bench.runs.run import Run


def act(seen):
    return Action("check" if not seen.to_call else "fold" if sum(seen.cards) % 2 else "call")


class Coin(Kind):
    """Folds to a bet with every second hand, and calls with the others."""

    name = usage = "coin"

    def make(self, spec, context):
        return SimpleNamespace(name=spec.id, act=act)


@click.command()
@click.argument("folder", metavar="RUN")
def swing(folder):
    """Print the most that somebody won in one hand of a run."""
    print(max(abs(net) for game in Run.open(folder).games for net in game.record.hand_nets), "chips")


class Nets(Export):
    """A line for each game: its match, and what player A won."""

    def write(self, run, file):
        file.writelines(f"{game.match} {game.record.net[0]}\n".encode() for game in run.games)
        return f"{len(run.games)} games"


class WithoutCards:  # takes out the luck of the cards, and leaves in that of the bench's dice
    name, version = "without-cards", 1

    def before(self, match):
        return self

    def rated(self, match, games):
        """A term that learns would do so here."""

    def value(self, game, core):
        return core.without_cards


class Games(RunObserver):
    played = 0

    def game_over(self, game, record):
        self.played += 1

    def ended(self, result, folder):
        return [f"{self.played} games were played."]
