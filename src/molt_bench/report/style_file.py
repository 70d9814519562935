"""`styles.json`: the styles of a run's participants, counted once and stored with the run."""

from collections.abc import Mapping
from pathlib import Path
from typing import Final

import msgspec

from molt_bench.errors import MoltBenchError, RulesError
from molt_bench.files import write_whole
from molt_bench.report.style import RATIOS, Group, Position, Ratio, Style, StyleCount
from molt_bench.runs.journal import Game
from molt_bench.runs.stored_run import StoredRun

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
        lines: How many lines of the journal have been counted.
        sha256: The hash of the last of them: the styles are those of this journal.
        styles: The style of each participant, by id.
        groups: The same by opponent and position; empty if an earlier version wrote the file.
    """

    lines: int
    sha256: str
    styles: Mapping[str, Style]
    format: int = 1
    groups: tuple[GroupRow, ...] = ()


def write_styles(folder: Path) -> list[str]:
    """Count the styles of a run and write them; return a warning if that failed."""
    path = folder / STYLES
    try:
        content = StoredRun.open(folder, check=False).content
        count = StyleCount()
        for line in content.lines:
            if isinstance(line, Game):
                count.add(line.participants, line.record)
        groups = tuple(GroupRow.of(group, style) for group, style in sorted(count.groups().items()))
        styles = dict(sorted(count.styles().items()))
        write_whole(path, _as_text(StyleFile(len(content.hashes), content.hashes[-1], styles, groups=groups)))
    except OSError as error:
        return [f"{path} could not be written: {error.strerror}"]
    except (MoltBenchError, RulesError, ValueError) as error:
        return [f"{path} could not be written: {error}"]
    return []


def _as_text(found: StyleFile) -> bytes:
    """Return the content of the file, with one line for each group."""
    whole = msgspec.json.format(msgspec.json.encode(msgspec.structs.replace(found, groups=())), indent=2)
    rows = b",".join([b"\n    " + msgspec.json.encode(row) for row in found.groups])
    return whole.replace(b'"groups": []', b'"groups": [' + rows + (b"\n  ]" if rows else b"]")) + b"\n"


def read_styles(path: Path) -> StyleFile | None:
    """Return what a run has stored about styles; None if nothing, or nothing that can be read."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=StyleFile)
    except (OSError, msgspec.MsgspecError, RecursionError):
        return None
