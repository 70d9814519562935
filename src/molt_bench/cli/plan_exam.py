"""`molt-bench plan exam`: what an exam of a config's participants will take, and what so many dollars buy."""

import msgspec
from rich import box
from rich.table import Table
from rich.text import Text

from molt_bench.cli.streams import console, print_json
from molt_bench.config.sections import BenchmarkConfig
from molt_bench.exam.cost import ExamPlan, plan_exam
from molt_bench.exam.questions import public_set
from molt_bench.exam.stored_exam import check_depths
from molt_bench.report.costs import dollars as in_dollars


def print_exam_plan(config: BenchmarkConfig, usd: float | None, *, as_json: bool) -> None:
    """Print the plan of an exam."""
    check_depths(config)
    found = plan_exam(config, usd)
    if as_json:
        print_json(msgspec.to_builtins(found))
        return
    screen = console()
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0))
    for heading in ("questions", "calls", "dollars", "lead"):
        table.add_column(heading, justify="right", no_wrap=True)
    for need in found.needs:
        lead = "-" if need.lead is None else f"{need.lead:,.3g}"
        table.add_row(f"{need.questions:,}", f"{need.calls:,}", in_dollars(need.usd), lead)
    screen.print(table)
    for line in _remarks(found):
        screen.print(Text(line), soft_wrap=True)


def _remarks(found: ExamPlan) -> list[str]:
    known = {name: usd for name, usd in found.usd_per_question.items() if usd is not None}
    unknown = [name for name, usd in found.usd_per_question.items() if usd is None]
    size = len(public_set().questions)
    lines = [
        "Lead: big blinds per 100 decisions that one gives away less than another; so large a one is ordered in half "
        "of such exams, if both draw their answers as ten bots do. It stops as soon as the order is sure."
    ]
    if known:
        lines.append(f"A question costs {', '.join(f'{in_dollars(usd)} ({name})' for name, usd in known.items())}.")
    if unknown:
        lines.append(f"No price is known for {', '.join(unknown)}, which does not make it free: see llm.prices.")
    if not found.usd_per_question:
        lines.append("Nobody in this config costs anything.")
    elif found.needs[-1].questions > size:
        lines.append(
            f"The public set has {size:,} questions; after these, models are asked again, and the mean counts."
        )
    return lines
