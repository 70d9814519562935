"""Mixes as programs, servers and guests may write them: good ones, and every kind of wrong one."""

import json

CALL = {"kind": "call", "weight": 3}
GOOD = [
    {"kind": "fold", "weight": 3},
    {"kind": "raiseTo", "amount": 1_000, "weight": 1},
    {"kind": "raiseTo", "low": 2_000, "high": 2_900, "weight": 2},
]
GOOD_TEXT = "3f,1r1000,2r2000-2900"


def _raise(**fields):
    return [{"kind": "raiseTo", "weight": 1, **fields}]


#: The fields of an answer as JSON, the kind of its fault at the first decision of a hand, and words of its message.
WRONG = {
    name: (f'"mix":{mix if isinstance(mix, str) else json.dumps(mix)}', kind, words)
    for name, (mix, kind, words) in {
        "no list": ({"call": 1}, "unparsable", "Expected `array`, got `object` - at `$.mix`"),
        "a text": ("call", "unparsable", "no JSON"),
        "no objects": ([["call", 1]], "unparsable", "Expected `object`, got `array` - at `$.mix[0]`"),
        "empty": ([], "unparsable", "Expected `array` of length >= 1 - at `$.mix`"),
        "too many": ([{"kind": "fold", "weight": 1}] * 1_000, "unparsable", "of length <= 100 - at `$.mix`"),
        "a flood": ([CALL] * 10_000, "flood", ""),
        "weight 0": ([{"kind": "call", "weight": 0}], "unparsable", "Expected `int` >= 1 - at `$.mix[0].weight`"),
        "weight negative": ([{"kind": "call", "weight": -3}], "unparsable", "Expected `int` >= 1"),
        "weight float": ([{"kind": "call", "weight": 1.0}], "unparsable", "Expected `int`, got `float`"),
        "weight text": ([{"kind": "call", "weight": "1"}], "unparsable", "Expected `int`, got `str`"),
        "weight true": ([{"kind": "call", "weight": True}], "unparsable", "Expected `int`, got `bool`"),
        "weight huge": ([{"kind": "call", "weight": 10**30}], "unparsable", "- at `$.mix[0].weight`"),
        "weight of thousands of digits": ('[{"kind":"call","weight":1%s}]' % ("0" * 5_000), "unparsable", "Integer"),
        "weight NaN": ('[{"kind":"call","weight":NaN}]', "unparsable", "JSON is malformed"),
        "weight missing": ([{"kind": "call"}], "unparsable", "missing required field `weight`"),
        "kind missing": ([{"weight": 1}], "unparsable", "missing required field `kind`"),
        "kind unknown": ([{"kind": "allin", "weight": 1}], "unparsable", "Invalid enum value 'allin'"),
        "nested": ([{"mix": [CALL], "weight": 1}], "unparsable", "missing required field `kind`"),
        "twice": ([CALL, CALL], "illegal", "call twice"),
        "overlapping": (_raise(low=300, high=500) + _raise(amount=400), "illegal", "raiseTo 400 twice"),
        "low above high": (_raise(low=500, high=300), "illegal", "raiseTo 500..300"),
        "low alone": (_raise(low=500), "unparsable", "Expected `low` and `high` together"),
        "low float": (_raise(low=300.0, high=500), "unparsable", "Expected `int`, got `float` - at `$.mix[0].low`"),
        "high huge": (_raise(low=300, high=2**60), "unparsable", "Expected `int` <= 9007199254740992"),
        "range and amount": (_raise(low=300, high=500, amount=400), "unparsable", "no `amount` beside them"),
        "range of calls": ([{"kind": "call", "low": 1, "high": 2, "weight": 1}], "unparsable", "with `raiseTo`"),
        "amount of a call": ([{"kind": "call", "amount": 50, "weight": 1}], "unparsable", "only beside `raiseTo`"),
        "amount missing": (_raise(), "unparsable", "Expected `amount` beside `raiseTo`"),
        "out of range": ([CALL, *_raise(low=150, high=900)], "illegal", "it has raiseTo 150..900; legal: fold, call"),
        "too large": ([CALL, *_raise(amount=10_001)], "illegal", "it has raiseTo 10001; legal: fold, call"),
        "not now": ([CALL, {"kind": "check", "weight": 1}], "illegal", "it has check; legal: fold, call"),
    }.items()
}
WRONG["a kind beside it"] = ('"kind":"call","mix":[{"kind":"call","weight":1}]', "unparsable", "beside `mix`")
