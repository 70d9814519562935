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
        "no list": ({"call": 1}, "unparsable", "mix is <dict>: expected a list of actions"),
        "a text": ("call", "unparsable", "not JSON"),
        "no objects": (
            [["call", 1]],
            "unparsable",
            "an entry of the mix is <list>: expected an action with its weight",
        ),
        "empty": ([], "unparsable", "mix has 0 entries: expected 1 to 100"),
        "too many": ([{"kind": "fold", "weight": 1}] * 1_000, "unparsable", "mix has 1,000 entries"),
        "a flood": ([CALL] * 10_000, "flood", ""),
        "weight 0": ([{"kind": "call", "weight": 0}], "illegal", "a weight is 0"),
        "weight negative": ([{"kind": "call", "weight": -3}], "illegal", "a weight is -3"),
        "weight float": ([{"kind": "call", "weight": 1.0}], "illegal", "a weight is 1.0"),
        "weight text": ([{"kind": "call", "weight": "1"}], "illegal", "a weight is '1'"),
        "weight true": ([{"kind": "call", "weight": True}], "illegal", "a weight is True"),
        "weight huge": ([{"kind": "call", "weight": 10**30}], "illegal", "a weight is 1000000000"),
        "weight of thousands of digits": ('[{"kind":"call","weight":1%s}]' % ("0" * 5_000), "unparsable", "digits"),
        "weight NaN": ('[{"kind":"call","weight":NaN}]', "unparsable", "NaN is not JSON"),
        "weight missing": ([{"kind": "call"}], "illegal", "a weight is None"),
        "kind missing": ([{"weight": 1}], "unparsable", "kind is missing"),
        "kind unknown": ([{"kind": "allin", "weight": 1}], "unparsable", "kind is 'allin'"),
        "nested": ([{"mix": [CALL], "weight": 1}], "unparsable", "kind is missing"),
        "twice": ([CALL, CALL], "illegal", "call twice"),
        "overlapping": (_raise(low=300, high=500) + _raise(amount=400), "illegal", "raiseTo 400 twice"),
        "low above high": (_raise(low=500, high=300), "illegal", "raiseTo 500..300"),
        "low alone": (_raise(low=500), "unparsable", "high is missing"),
        "low float": (_raise(low=300.0, high=500), "unparsable", "low is 300.0"),
        "high huge": (_raise(low=300, high=2**60), "unparsable", "high is 1152921504606846976"),
        "range and amount": (_raise(low=300, high=500, amount=400), "unparsable", "none beside low and high"),
        "range of calls": ([{"kind": "call", "low": 1, "high": 2, "weight": 1}], "unparsable", "kind is 'call'"),
        "amount of a call": ([{"kind": "call", "amount": 50, "weight": 1}], "unparsable", "amount is 50"),
        "amount missing": (_raise(), "unparsable", "amount is missing"),
        "out of range": ([CALL, *_raise(low=150, high=900)], "illegal", "it has raiseTo 150..900; legal: fold, call"),
        "too large": ([CALL, *_raise(amount=10_001)], "illegal", "it has raiseTo 10001; legal: fold, call"),
        "not now": ([CALL, {"kind": "check", "weight": 1}], "illegal", "it has check; legal: fold, call"),
    }.items()
}
WRONG["a kind beside it"] = ('"kind":"call","mix":[{"kind":"call","weight":1}]', "unparsable", "none beside a mix")
