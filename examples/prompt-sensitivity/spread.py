"""Say whether the wordings of a prompt differ by more than chance: `python spread.py RUN`, the folder of a run.

Neighbours in the ranking have a lead in what they win from all others, and every two have what one won from the other.
Each has the interval that decides in the run, which is wrong in at most 5%.
"""

import json
import sys
from pathlib import Path


def main(folder: str) -> None:
    """Print the spread of the results, and every lead that is surely more than chance."""
    board = json.loads(Path(folder, "leaderboard.json").read_text("utf-8"))
    rows = [row for row in board["participants"] if not row.get("anchor") and row["bbPer100HalfWidth"] is not None]
    names = {row["id"] for row in rows}
    if len(rows) < 2:
        sys.exit("two wordings have to have met all others: play more matches")
    results = [row["bbPer100"] for row in rows]
    print(f"{len(rows)} wordings; from the worst to the best are {max(results) - min(results):.1f} bb/100")
    for row in rows:
        print(f"  {row['id']}: {row['bbPer100']:+.1f} ± {row['bbPer100HalfWidth']:.1f} bb/100")
    leads = [(each["above"], each["below"], each, "against all") for each in board["leads"]]
    leads += [(each["a"], each["b"], each, "from each other") for each in board["pairs"]]
    apart = [each for each in leads if {*each[:2]} <= names and each[2]["verdict"] == "ordered"]
    for above, below, lead, how in apart:
        said = f"{lead['bbPer100']:.1f} ± {lead['bbPer100HalfWidth']:.1f} bb/100 {how}"
        print(f"{above} plays better than {below}, by {said}: more than chance")
    if not apart:
        print("No spread beyond the intervals: a result does not depend on the wording by more than they say.")


if __name__ == "__main__":
    main(*sys.argv[1:])
