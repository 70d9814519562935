"""Mutations: configs and files of lines with something odd in them, each the same in every run."""

import copy
import json

import yaml

from molt_bench.config.loader import load_config
from molt_bench.seeds import derive
from tests.e2e.shell import rechained


class Dice:
    """Random numbers by label: each throw is a hash of who throws and how often it has."""

    def __init__(self, *labels):
        self._labels = labels
        self._thrown = 0

    def below(self, most):
        """Return a number from 0 to `most - 1`."""
        self._thrown += 1
        return derive("fuzz", *self._labels, self._thrown) % most

    def one_of(self, choices):
        """Return one of them."""
        return choices[self.below(len(choices))]


INTS = [0, 1, -1, 2, 3, 7, 100, 101, 10**5, 10**6, 2**31, 2**53, 2**53 + 1, 2**63, 2**64, -(2**63), 10**30, 10**4000]
FLOATS = [0.0, -0.0, 0.5, 1.0, 0.5000001, 0.9999999999999999, 1e-9, 1e-300, 5e-324, 1e5, 1e15, 1e300, -1e300, 2.5]
SPECIAL = [float("nan"), float("inf"), float("-inf")]
TEXTS = [
    "",
    " ",
    "a",
    "null",
    "1e5",
    "\ud800",
    "a\0b",
    "\x1b[31mred\x1b[0m",
    "two\nlines",
    "é±—🂡",
    "\u202eback",
    "x" * 300,
    "x" * 200_000,
    "../../etc",
    "/dev/null",
    "/dev/zero",
    "nowhere.py:make",
    "carry",
    "openai:gpt-4.1",
    "{}",
    "%s%n",
]
OTHER = [None, True, False, [], {}, [[]], [1, 2], {"a": 1}, {"": None}, [None] * 300, {"x": {"y": {"z": []}}}]
#: Fields that are odd together, though each is fine.
MODES = [
    {"game": {"stacks": "carry", "stack": 200, "handsPerGame": 40}},
    {"game": {"smallBlind": 0, "bigBlind": 1, "stack": 1}},
    {"game": {"bigBlind": 10**15, "smallBlind": 1, "stack": 2 * 10**15}},
    {"game": {"stack": 2**53, "maxActionsPerHand": 1}},
    {"game": {"stack": 10**15, "stacks": "carry"}},
    {"game": {"warmupHands": 5, "handsPerGame": 1, "maxRetries": 0, "actionTimeoutS": 0.001}},
    {"match": {"drawThreshold": 2**53}},
    {"rating": {"mu0": 1e5, "sigma0": 1e-6, "updatePer": "seedPair"}},
    {"rating": {"mu0": -1e6, "sigma0": 1e6, "estimator": "raw"}},
    {"scheduler": {"policy": "thompson", "rematchWindow": 2**53, "exploration": 1}},
    {"scheduler": {"policy": "adjacent_pairs", "minSeedPairs": 10**6}},
    {"stop": {"adjacentConfidence": {"threshold": 0.9999999999999999, "tieMarginMbb": 1e-6}}},
    {"stop": {"adjacentConfidence": {"threshold": 0.5000000000000001, "tieMarginMbb": 1e9, "method": "openskill"}}},
    {"stop": {"adjacentConfidence": {"tieMarginMbb": 0, "familywise": True}}, "rating": {"estimator": "raw"}},
    {"stop": {"adjacentConfidence": {"threshold": 0.999999999, "tieMarginMbb": 1e-6}}},
    {"scheduler": {"policy": "gauntlet"}},
    {"scheduler": {"policy": "gate"}, "stop": {"adjacentConfidence": {"tieMarginMbb": 0}}},
    {"stop": {"adjacentConfidence": {"method": "openskill"}, "topkStable": {"k": 10**9, "rounds": 1}}},
    {"stop": {"budget": {"maxHands": 1}, "adjacentConfidence": None}},
    {"stop": {"budget": {"maxSeconds": 1e-9}}},
    {"participants": [{"id": "a", "type": "random", "anchor": True}, {"id": "b", "type": "tag", "anchor": True}]},
    {"participants": ["random"] * 12},
    {"participants": ["random"] * 201},
    {
        "participants": [
            {"id": "a", "type": "shover", "initialRating": {"mu": -1e6, "sigma": 1e-6}},
            {"id": "b", "type": "folder", "initialRating": {"mu": 1e6, "sigma": 1e-6}},
            {"id": "two\nlines", "type": "maniac", "displayName": "\x1b[2J é"},
        ]
    },
    {"seeds": {"masterSeed": 10**3000}},
    {"seeds": {"masterSeed": "é\u202e"}},
]
BOT = {"id": "a", "type": "random", "displayName": "A", "anchor": False, "params": {}}
MODEL = {"id": "m", "type": "llm", "model": "openai:gpt-4.1", "temperature": 0.5, "maxTokens": 100, "seed": 1}
PROGRAM = {"id": "p", "type": "exec:true"}
SERVER = {"id": "h", "type": "http://127.0.0.1:9/act", "apiKeyEnv": None}


def odd_config(number):
    """Return the text of an odd config, and whether it is JSON or YAML."""
    dice = Dice("config", number)
    values = load_config({}).plain()
    others = dice.one_of([[BOT], [BOT], [BOT, MODEL], [BOT, PROGRAM], [BOT, SERVER]])
    values["participants"] = copy.deepcopy(
        [*others, {"id": "z", "type": "tight", "initialRating": {"mu": 3, "sigma": 1}}]
    )
    values["seeds"] |= {"perMatch": 2}
    values["game"] |= {"handsPerGame": 5}
    values["stop"]["budget"] |= {"maxMatches": 3}
    if dice.below(3) == 0:
        for _ in range(1 + dice.below(2)):
            for section, fields in dice.one_of(MODES).items():
                values[section] = {**values[section], **fields} if isinstance(fields, dict) else fields
    else:
        for _ in range(1 + dice.below(3)):
            _change(values, dice)
    kind = dice.one_of(["json", "yaml"])
    return kind, _changed_text(_written(values, kind, dice), dice)


def _change(values, dice):
    """Change one thing somewhere."""
    place, key = dice.one_of([*_places(values)])
    how = dice.below(10)
    if how == 0:
        del place[key]
    elif how == 1 and isinstance(place, dict):
        place[dice.one_of(["", "x", "hands", "per_match", "é", "\ud800", "id"])] = _odd(dice)
    elif how == 2:
        deep = value = []
        for _ in range(dice.one_of([3, 45, 60, 900])):
            value.append([])
            value = value[0]
        place[key] = deep
    else:
        place[key] = _odd(dice, like=place[key])


def _places(values, depth=100):
    for key in [*values] if isinstance(values, dict) else range(len(values)):
        yield values, key
        if isinstance(values[key], dict | list) and depth:
            yield from _places(values[key], depth - 1)


def _odd(dice, like=None):
    if dice.below(4) == 0:
        return copy.deepcopy(dice.one_of([INTS, FLOATS, SPECIAL, TEXTS, OTHER][dice.below(5)]))
    if isinstance(like, int | float):
        return dice.one_of([*INTS, *FLOATS, *SPECIAL])
    return copy.deepcopy(dice.one_of(TEXTS if isinstance(like, str) else OTHER))


def _written(values, kind, dice):
    if kind == "yaml" and dice.below(2):
        try:
            return yaml.safe_dump(values, allow_unicode=True).encode()
        except (UnicodeEncodeError, RecursionError, ValueError):
            pass  # JSON is YAML as well
    return json.dumps(values, indent=dice.one_of([None, 1])).encode()


def _changed_text(text, dice):
    how = dice.below(12)
    if how > 5:
        return text
    lines = text.split(b"\n")
    at = dice.below(len(lines))
    if how == 0:
        lines.insert(at, lines[at])
    elif how == 1:
        del lines[at]
    elif how == 2:
        return changed_bytes(text, dice)
    elif how == 3:
        return dice.one_of(
            [b"\xef\xbb\xbf" + text, text.decode().encode("utf-16"), b"", b"\0" * 50, text[: len(text) // 2]]
        )
    elif how == 4:
        lines.insert(
            at, dice.one_of([b"x: &x [*x]", b"? [a]\n: b", b"<<: {game: 1}", b"---", b"!!python/object:os.x {}", b"\t"])
        )
    else:
        lines.append(dice.one_of([b"game: {}", b'{"a": 1}', b"...\n[1]", b"x: !!binary aGVsbG8=", b"d: 2024-01-01"]))
    return b"\n".join(lines)


def changed_bytes(data, dice):
    """Change, take out or put in a few bytes."""
    changed = bytearray(data)
    for _ in range(1 + dice.below(3)):
        at = dice.below(len(changed)) if changed else 0
        how = dice.below(3)
        if how == 0 and changed:
            changed[at] ^= 1 << dice.below(8)
        elif how == 1:
            del changed[at : at + 1 + dice.below(3)]
        else:
            changed[at:at] = dice.one_of([b"\xff", b"\0", b'"', b"{", b"}", b"\n", b"\\", b"9" * 5000, b"\r", b","])
    return bytes(changed)


def odd_lines(data, number):
    """Return the bytes of a journal with something odd in them."""
    dice = Dice("journal", number)
    lines = data.splitlines(keepends=True)
    at, other = dice.below(len(lines)), dice.below(len(lines))
    how = dice.below(12)
    if how < 3:
        lines[at] = _changed_value(lines[at], dice)
    elif how == 3:
        del lines[at]
    elif how == 4:
        lines.insert(other, lines[at])
    elif how == 5:
        lines[at], lines[other] = lines[other], lines[at]
    elif how == 6:
        lines.insert(
            at, dice.one_of([b"{}\n", b"\n", b"null\n", b'{"line":"game"}\n', b"[" * 5000 + b"\n", b"\xff\xfe\n"])
        )
    elif how == 7:
        return data[: dice.below(len(data))]
    elif how == 8:
        return dice.one_of([b"", b"\n", bytes(range(256)) * 40, b"\0" * 10_000, lines[0], b"".join(lines[1:])])
    elif how == 9:
        lines[at] = lines[at].rstrip(b"\n") + b" " * 2_000_000 + dice.one_of([b"x\n", b"\n"])
    else:
        return changed_bytes(data, dice)
    data = b"".join(lines)
    return rechained(data.rstrip(b"\n").split(b"\n")) if dice.below(2) else data


def _changed_value(line, dice):
    """Change one value in a line of JSON, whatever its fields are."""
    values = json.loads(line)
    place, key = dice.one_of([*_places(values)])
    old = place[key]
    if isinstance(old, int) and not isinstance(old, bool) and dice.below(2):
        place[key] = old + dice.one_of([1, -1, 100, 10**6])
    elif isinstance(old, str) and old and dice.below(2):
        at = dice.below(len(old))
        place[key] = old[:at] + dice.one_of(["", "x", "9", ":", "|", "é"]) + old[at + 1 :]
    elif dice.below(4) == 0:
        del place[key]
    else:
        place[key] = _odd(dice, like=old)
    return json.dumps(values, separators=(",", ":")).encode() + b"\n"
