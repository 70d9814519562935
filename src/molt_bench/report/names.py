"""What the participants of a run are called, and how its language models were asked."""

from collections import Counter

from molt_bench.bench.result import RunResult
from molt_bench.config.sections import BenchmarkConfig
from molt_bench.visible_text import on_one_line


def names_of(config: BenchmarkConfig) -> dict[str, str]:
    """Return what everyone is called, by id: on one line, without control characters, and each differently.

    A model that has no name of its own is called by its label.
    """
    models, called = config.models(), dict[str, str]()
    for each in config.participants:
        model = models.get(each.id)
        unnamed = model is not None and each.id == model.model.partition(":")[2]
        text = each.display_name or (model.label if model is not None and unnamed else each.id)
        called[each.id] = on_one_line(text).strip() or each.id
    count = Counter(called.values())
    return {name: text if count[text] == 1 else f"{text} ({name})" for name, text in called.items()}


def reply_forms_of(result: RunResult) -> dict[str, str]:
    """Return how each language model was asked: the form of its replies with its version, its track, and its memory."""
    found = {}
    for name, model in result.config.models().items():
        memory = [] if model.memory == "none" else [f"memory {model.memory}"]
        found[name] = ", ".join([result.reply_forms.get(name, "?"), model.track, *memory])
    return found
