"""What the JSON object of a reply states: a strategy, whose percentages must add up to 100, or one action. Pure."""

from typing import Any, Final

from molt_bench.errors import AgentFailed
from molt_bench.poker.actions import KINDS, Action, Kind
from molt_bench.poker.mix import Mix
from molt_bench.visible_text import shown

#: Most actions of one strategy.
MOST_ACTIONS: Final = 6
#: What the percentages of a strategy add up to.
WHOLE: Final = 100
#: Most chips that an action of a strategy can name.
MOST_CHIPS: Final = 10**15


def stated_strategy(found: dict[str, Any]) -> Mix:
    """Return the mix of the actions of a strategy that have a chance; raises AgentFailed if it is not one."""
    listed = found.get("strategy")
    if not isinstance(listed, list) or not all(isinstance(each, dict) for each in listed):
        said = shown(listed) if "strategy" in found else "missing"
        raise AgentFailed("unparsable", f'"strategy" is {said}; expected a list of actions, each with its percentage')
    if not 1 <= len(listed) <= MOST_ACTIONS:
        raise AgentFailed("unparsable", f'"strategy" has {len(listed)} actions; expected 1 to {MOST_ACTIONS}')
    strategy = [_share(each) for each in listed]
    actions = [action for action, _ in strategy]
    twice = next((action for at, action in enumerate(actions) if action in actions[:at]), None)
    if twice is not None:
        said = f"{twice.kind} {twice.amount}" if twice.kind == "raiseTo" else twice.kind
        raise AgentFailed("unparsable", f'"strategy" has {said} twice; expected every action once')
    total = sum(percent for _, percent in strategy)
    if total != WHOLE:
        raise AgentFailed("unparsable", f"the percentages add up to {total}; expected {WHOLE}")
    return Mix([(action, percent) for action, percent in strategy if percent])


def _share(found: dict[str, Any]) -> tuple[Action, int]:
    action, percent = stated_action(found), _whole(found.get("percent"))
    if abs(action.amount) > MOST_CHIPS:  # it is recorded, and such a number fits in no file
        raise AgentFailed("unparsable", f'"amount" is {shown(action.amount)}; expected a number of chips')
    if type(percent) is not int or not 0 <= percent <= WHOLE:
        said = shown(found["percent"]) if "percent" in found else "missing"
        raise AgentFailed("unparsable", f'"percent" is {said}; expected a whole number from 0 to {WHOLE}')
    return action, percent


def stated_action(found: dict[str, Any]) -> Action:
    """Return the action that an object states; raises AgentFailed if it is not one."""
    kind, amount = found.get("kind"), _whole(found.get("amount"))
    if kind not in KINDS:
        said = shown(kind) if "kind" in found else "missing"
        raise AgentFailed("unparsable", f'"kind" is {said}; expected one of {", ".join(KINDS)}')
    if kind == "raiseTo" and type(amount) is not int:
        said = shown(found["amount"]) if "amount" in found else "missing"
        raise AgentFailed("unparsable", f'"amount" is {said}; expected a whole number of chips')
    checked: Kind = kind
    return Action(checked, int(amount or 0)) if checked == "raiseTo" else Action(checked)


def _whole(value: Any) -> Any:
    """Return a whole number that was written with a decimal point as one; anything else as it is."""
    return int(value) if isinstance(value, float) and value.is_integer() else value
