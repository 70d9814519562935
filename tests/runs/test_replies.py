"""The file of replies, and which runs go on with it."""

import msgspec
import pytest

from molt_bench.arena.run_session import games_go_on
from molt_bench.config.loader import load_config
from molt_bench.errors import JournalError
from molt_bench.llm.types import Exchange, Unaccounted
from molt_bench.poker.actions import Action, LoggedAction
from molt_bench.poker.hand import HandRules
from molt_bench.poker.observation import Observation
from molt_bench.runs.replies import ProgramAnswer, Replies, answer_key, replies_hash
from molt_bench.specs import GameLabel

HTTP = "http://127.0.0.1:9/act"
SEEN = Observation(
    seat=1,
    button=0,
    hand_number=3,
    street="preflop",
    cards=(51, 0),
    board=(),
    pot=350,
    stacks=(9_700, 9_900),
    bets=(300, 100),
    starting_stacks=(10_000, 10_000),
    to_call=200,
    min_raise_to=500,
    max_raise_to=10_000,
    log=(LoggedAction("preflop", 0, "raiseTo", 300),),
    rules=HandRules(50, 100, 0, None),
)


def test_the_keys_of_earlier_runs_stay_as_they_are():
    """If this fails, recorded answers are not found any more: keep the old keys, or raise BENCH_VERSION."""
    pinned = "1fe183dcf7628a2fe429956f38823afc090afcd774afaea436d10a929147a69c"
    assert answer_key("web", GameLabel(1, "s", "AB"), SEEN, 1) == pinned


@pytest.mark.parametrize(
    ("participants", "go_on"),
    [
        ([HTTP, "tight"], True),
        ([HTTP, "http://127.0.0.1:8/act"], True),
        ([HTTP, "exec:python3", "llm:openai:m"], True),
        ([HTTP, "own.py:make"], False),
        (["exec:python3", "own.py:make"], True),
    ],
)
def test_games_go_on_where_nobody_who_remembers_could_see_another_course_of_them(participants, go_on):
    config = load_config({"participants": participants})
    assert games_go_on(config, recorded=True) is go_on
    remembering = any(each.kind.remembers for each in config.participants)
    assert games_go_on(config, recorded=False) is not remembering


def test_an_agent_of_the_callers_own_under_the_name_of_a_bot_is_code_of_the_user():
    config = load_config({"participants": [HTTP, "tight"]})
    assert not games_go_on(config, {"tight"}, recorded=True)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ('{"line":"header","format":2}\n', "line 1 has format 2"),
        ('{"line":"header","format":1}\n{"line":"header","format":1}\n', "line 2: expected a reply"),
        ('{"line":"answer","key":"k","participant":"p","game":{"match":1,"seed":1,"seating":"AB"},"hand":1,'
         '"decision":0,"attempt":1,"action":{"kind":"call"}}\n', "line 1: expected the header"),
        ('{"line":"header","format":1}\n{"line":"answer","key":"k","participant":"p",'
         '"game":{"match":1,"seed":1,"seating":"AB"},"hand":1,"decision":0,"attempt":1}\n', "line 2 is damaged"),
        ('{"line":"header","format":1}\n{"line":"answer","key":"k","participant":"p",'
         '"game":{"match":1,"seed":1,"seating":"AB"},"hand":1,"decision":0,"attempt":1,"mix":"0f"}\n', "not a mix"),
        ('{"line":"header","format":1}\n{"line":"answer","key":"k","participant":"p","action":{"kind":"call"},'
         '"game":{"match":1,"seed":1,"seating":"AB"},"hand":1,"decision":0,"attempt":1,"mix":"1f"}\n', "expected an"),
    ],
)  # fmt: skip
def test_a_file_that_is_not_one_is_named_by_line(tmp_path, content, said):
    path = tmp_path / "replies.jsonl"
    path.write_text(content)
    with pytest.raises(JournalError, match=said):
        Replies.reopen(str(path))
    assert path.read_text() == content


def test_a_file_without_its_header_was_not_begun(tmp_path):
    path = tmp_path / "replies.jsonl"
    path.write_text('{"line":"head')
    found = Replies.reopen(str(path))
    assert not found.begun
    found.begin()
    found.close()
    assert Replies.reopen(str(path), read_only=True).begun


def exchange(key):
    place = {"game": GameLabel(1, 1, "AB"), "hand": 1, "decision": 0, "attempt": 1}
    return Exchange(key=key, participant="m", **place, prompt_hash="", outcome="reply", text="call")


def test_what_a_question_may_have_cost_counts_until_its_exchange_says_so(tmp_path):
    path, lost = str(tmp_path / "replies.jsonl"), Unaccounted(1, 0.25, 100)
    killed = Replies(path)
    killed.begin({"m": "Play."})
    killed.ledger.put("a question", lost)
    killed.close()
    resumed = Replies.reopen(path)
    assert resumed.ledger.left_open("a question") == lost
    resumed.ledger.put("a question", lost + Unaccounted(1, 0.5, 200))
    assert resumed.ledger.unaccounted == Unaccounted(2, 0.75, 300)
    resumed.add(msgspec.structs.replace(exchange("a question"), lost=lost))
    resumed.close()
    known = Replies.reopen(path, read_only=True)
    assert resumed.ledger.unaccounted == known.ledger.unaccounted == lost
    assert (known.skills, [each.key for each in known.earlier]) == ({"m": "Play."}, ["a question"])


def test_what_is_forgotten_after_the_end_is_no_change_of_what_was_said(tmp_path):
    path = tmp_path / "replies.jsonl"
    replies = Replies(str(path))
    replies.begin()
    replies.ledger.put("a question", Unaccounted(1, 0.25, 100))
    replies.add(exchange("another"))
    replies.close()
    before = replies_hash(path)
    again = Replies.reopen(str(path))
    again.ledger.forget()
    again.close()
    assert Replies.reopen(str(path), read_only=True).ledger.unaccounted == Unaccounted()
    assert replies_hash(path) == before
    path.write_text(path.read_text().replace('"call"', '"fold"'))
    assert replies_hash(path) != before


def test_a_model_and_a_program_of_one_game_share_the_file(tmp_path):
    path, game = str(tmp_path / "replies.jsonl"), GameLabel(1, 1, "AB")
    replies = Replies(path)
    replies.begin()
    replies.add(exchange("of the model"))
    assert not replies.knows(game)
    place = {"participant": "p", "game": game, "hand": 1, "decision": 1, "attempt": 1}
    replies.add_answer(ProgramAnswer(key="of the program", **place, action=Action("call")))
    replies.close()
    known = Replies.reopen(path, read_only=True)
    assert known.find(game, "of the model").text == "call"
    assert known.answer(game, "of the program") == Action("call")
    over = Replies.reopen(path, read_only=True, over={game})
    assert (over.find(game, "of the model"), over.knows(game), len(over.earlier)) == (None, False, 1)
