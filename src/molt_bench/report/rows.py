"""What plug-ins take of reports: the rows of a run and of its hands, and what is said of them."""

from molt_bench.luck.estimators import margins_of as margins_of
from molt_bench.report.artifact_check import ArtifactCheck as ArtifactCheck
from molt_bench.report.artifact_check import check_artifacts as check_artifacts
from molt_bench.report.artifacts import ARTIFACTS as ARTIFACTS
from molt_bench.report.card import card as card
from molt_bench.report.dealt_hands import DealtHand as DealtHand
from molt_bench.report.dealt_hands import hands_of as hands_of
from molt_bench.report.explanation import claims as claims
from molt_bench.report.explanation import units as units
from molt_bench.report.hand_rows import hand_rows as hand_rows
from molt_bench.report.hand_rows import row as row
from molt_bench.report.number_text import signed as signed
from molt_bench.report.progress import Pace as Pace
from molt_bench.report.progress import progress_of as progress_of
from molt_bench.report.progress import results_after as results_after
from molt_bench.report.row_types import AgentRow as AgentRow
from molt_bench.report.row_types import LeadRow as LeadRow
from molt_bench.report.row_types import half_width_95 as half_width_95
from molt_bench.report.row_types import interval as interval
from molt_bench.report.run_rows import Rows as Rows
from molt_bench.report.totals import played_games as played_games
from molt_bench.report.verdict import headline as headline
from molt_bench.report.verdict import remarks as remarks
