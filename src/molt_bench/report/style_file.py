"""`styles.json`: the styles of a run's participants, counted once and stored with the run."""

from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Final

import msgspec

from molt_bench.config.loader import load_config
from molt_bench.errors import MoltBenchError, RulesError
from molt_bench.files import write_whole
from molt_bench.poker.play_statistics import RATIOS, Ratio, Style
from molt_bench.report.style_sums import Group, Position, StyleCount
from molt_bench.runs.derived_files import file_hashes, read_back
from molt_bench.runs.folder import JOURNAL
from molt_bench.runs.journal import Game, JournalContent, read_journal

STYLES: Final = "styles.json"
FORMAT: Final = 1


class GroupRow(msgspec.Struct, frozen=True, array_like=True):
    """The style in one group of hands, as a short row; counts and chances are in the order of the statistics."""

    player: str
    opponent: str
    position: Position
    hands: int
    counts: tuple[int, ...]
    chances: tuple[int, ...]

    def __post_init__(self) -> None:
        """Refuse a row of other statistics."""
        if not len(self.counts) == len(self.chances) == len(RATIOS):
            raise ValueError(f"expected {len(RATIOS)} statistics")

    @classmethod
    def of(cls, group: Group, style: Style) -> "GroupRow":
        """Return the row of a group."""
        ratios = [getattr(style, name) for name in RATIOS]
        return cls(*group, style.hands, tuple(each.count for each in ratios), tuple(each.of for each in ratios))

    @property
    def group(self) -> Group:
        """The group that it is about."""
        return Group(self.player, self.opponent, self.position)

    @property
    def style(self) -> Style:
        """The style that it holds."""
        columns = zip(RATIOS, self.counts, self.chances, strict=True)
        return Style(self.hands, **{name: Ratio(count, of) for name, count, of in columns})


class StyleFile(msgspec.Struct, frozen=True, rename="camel"):
    """What `styles.json` holds. All of it follows from the games, so that the same games give the same bytes.

    Attributes:
        games: How many games have been counted.
        big_blind: Chips of a big blind: winnings are counted in chips.
        styles: The style of each participant, by id.
        groups: The same by opponent and position.
    """

    games: int
    big_blind: int
    styles: Mapping[str, Style]
    format: int = FORMAT
    groups: tuple[GroupRow, ...] = ()

    def __post_init__(self) -> None:
        """Refuse a file of another format."""
        if self.format != FORMAT:
            raise ValueError(f"expected format {FORMAT}")


def counted_styles(content: JournalContent) -> StyleFile:
    """Count the styles of a run."""
    count = StyleCount()
    for line in content.lines:
        if isinstance(line, Game):
            count.add(line.participants, line.record)
    groups = tuple(GroupRow.of(group, style) for group, style in sorted(count.groups().items()))
    big_blind = load_config(content.header.config).game.big_blind
    return StyleFile(count.games, big_blind, dict(sorted(count.styles().items())), groups=groups)


def write_styles(folder: Path) -> list[str]:
    """Count the styles of a run and write them, unless they are there already; return a warning if that failed."""
    path = folder / STYLES
    try:
        content = read_journal(str(folder / JOURNAL))
        if read_styles(folder, content) is None:
            write_whole(path, styles_text(counted_styles(content)))
    except (OSError, MoltBenchError, RulesError, ValueError) as error:
        return [f"{path} could not be written: {getattr(error, 'strerror', None) or error}"]
    return []


def vouched_styles(folder: Path) -> dict[str, str]:
    """Write the styles of a run that is about to end, and return their hash for the line that closes its journal."""
    return {} if write_styles(folder) else file_hashes(folder, STYLES)


def read_styles(folder: Path, content: JournalContent) -> StyleFile | None:
    """Return what a run has stored about styles; None if the journal does not vouch for it."""
    return read_back(
        folder, STYLES, content, lambda text: (msgspec.json.decode(text, type=StyleFile), sha256(text).hexdigest())
    )


def styles_text(found: StyleFile) -> bytes:
    """Return the content of the file, with one line for each group."""
    whole = msgspec.json.format(msgspec.json.encode(msgspec.structs.replace(found, groups=())), indent=2)
    rows = b",".join([b"\n    " + msgspec.json.encode(row) for row in found.groups])
    return whole.replace(b'"groups": []', b'"groups": [' + rows + (b"\n  ]" if rows else b"]")) + b"\n"
