"""`styles.json`: the styles of a run's participants, counted once and stored with the run."""

from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Final

import msgspec

from molt_bench.errors import MoltBenchError, RulesError
from molt_bench.files import write_whole
from molt_bench.report.style import RATIOS, Group, Position, Ratio, Style, StyleCount
from molt_bench.runs.derived_files import file_hashes, read_back
from molt_bench.runs.folder import JOURNAL
from molt_bench.runs.journal import Game, JournalContent, read_journal

STYLES: Final = "styles.json"


class GroupRow(msgspec.Struct, frozen=True, array_like=True):
    """The style in one group of hands, as a short row; counts and chances are in the order of the statistics."""

    player: str
    opponent: str
    position: Position
    hands: int
    counts: tuple[float, ...]
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
    """What `styles.json` holds.

    Attributes:
        lines: How many lines of the journal have been counted, up to its last game.
        sha256: The hash of the last of them: the styles are those of this journal.
        styles: The style of each participant, by id.
        groups: The same by opponent and position; empty if an earlier version wrote the file.
    """

    lines: int
    sha256: str
    styles: Mapping[str, Style]
    format: int = 1
    groups: tuple[GroupRow, ...] = ()


def counted_styles(content: JournalContent) -> StyleFile:
    """Count the styles of a run, up to its last game."""
    count, last = StyleCount(), 1
    for number, line in enumerate(content.lines, start=2):
        if isinstance(line, Game):
            count.add(line.participants, line.record)
            last = number
    groups = tuple(GroupRow.of(group, style) for group, style in sorted(count.groups().items()))
    return StyleFile(last, content.hashes[last - 1], dict(sorted(count.styles().items())), groups=groups)


def write_styles(folder: Path) -> list[str]:
    """Count the styles of a run and write them, unless they are there already; return a warning if that failed."""
    path = folder / STYLES
    try:
        content = read_journal(str(folder / JOURNAL))
        if read_styles(folder, content) is None:
            write_whole(path, _text_of(counted_styles(content)))
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


def _text_of(found: StyleFile) -> bytes:
    """Return the content of the file, with one line for each group."""
    whole = msgspec.json.format(msgspec.json.encode(msgspec.structs.replace(found, groups=())), indent=2)
    rows = b",".join([b"\n    " + msgspec.json.encode(row) for row in found.groups])
    return whole.replace(b'"groups": []', b'"groups": [' + rows + (b"\n  ]" if rows else b"]")) + b"\n"
