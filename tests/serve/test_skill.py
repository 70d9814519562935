"""The skill document: everything in it works, and nothing in it is another's secret."""

import json
import re
import shutil
import subprocess
from pathlib import Path
from urllib.parse import urlsplit

import pytest
import yaml
from websockets.sync.client import connect

from molt_bench.plugins.live.pages import rules_of
from tests.serve.tables import LONG_S, TOKENS, a_lobby, serving

EXAMPLES = Path(__file__).parents[2] / "src" / "molt_bench" / "plugins" / "live" / "examples"
needs_curl = pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")


@pytest.fixture
def table():
    with serving(a_lobby()) as table:
        yield table


def skill_of(table):
    response = table.client.get("skill.md")
    assert response.headers["content-type"] == "text/markdown; charset=utf-8"
    return response.text


def front_matter(text):
    return yaml.safe_load(text.split("---\n")[1])


def test_the_front_matter_is_that_of_a_skill_and_the_text_is_short(table):
    text = skill_of(table)
    head = front_matter(text)
    assert re.fullmatch(r"[a-z0-9-]{1,64}", head["name"])
    assert 20 < len(head["description"]) <= 1024
    assert len(text) / 3 < 5000  # a token has more than three characters of such text
    assert not re.search(r"%[A-Z_]+%", text)


def test_it_has_the_readers_own_url_and_no_one_elses_secret():
    lobby = a_lobby("live", "other")
    with serving(lobby) as table:
        text = skill_of(table)
    assert table.url in text
    assert TOKENS["other"] not in text
    assert all(each.invited.key not in text for each in lobby.invitations)
    assert "to no other host" in text


@pytest.mark.parametrize(
    ("game", "said"),
    [
        ({}, ["Blinds 50/100.", "Every hand starts with 10,000 chips (100 big blinds)", "50 hands", "120 seconds"]),
        ({"small_blind": 1, "big_blind": 2, "stack": 400}, ["Blinds 1/2."]),
        ({"stacks": "carry"}, ["A game starts with 10,000 chips", "carry over"]),
        ({"hands": 1}, ["A game has one hand."]),
        ({"warmup_hands": 5, "action_timeout_s": 7.5}, ["The first 5 hands", "You have 7.5 seconds"]),
        ({"max_retries": 0, "slots": 3}, ["you are not asked again", "up to 3 games at once"]),
        ({"max_retries": 1}, ["you are asked once more"]),
        ({"opponents": 1}, ["against the same opponent."]),
        ({"opponents": 2}, ["against different opponents."]),
    ],
)
def test_the_rules_are_those_of_the_run(game, said):
    opponents = game.pop("opponents", 2)
    lobby = a_lobby(**game)
    lobby.opponents = opponents
    text = " ".join(rules_of(lobby, lobby.invitations[0]))
    for each in said:
        assert each in text


@needs_curl
def test_the_commands_work_when_they_are_pasted(table):
    blocks = re.findall(r"```bash\n(.*?)```", skill_of(table), re.DOTALL)
    table.play(hands=2)
    done = subprocess.run(
        ["bash", "-e", "-u", "-c", "\n".join(blocks)], capture_output=True, text=True, timeout=LONG_S, check=True
    )
    asked, status, *rest = done.stdout.split("\n", 2)
    assert status == "200"
    assert json.loads(asked)["turn"]["turn_token"]
    answer = json.loads("".join(rest))
    assert answer["verdict"] == "taken"
    assert answer["turn"]["observation"]["handNumber"] == 2


@needs_curl
def test_the_turn_that_is_shown_has_the_fields_of_a_real_one(table):
    (shown,) = re.findall(r"```json\n(.*?)```", skill_of(table), re.DOTALL)
    table.play(hands=1)
    shown, real = json.loads(shown)["turn"], table.turn()
    assert shown.keys() == real.keys()
    assert shown["observation"].keys() <= real["observation"].keys()


@needs_curl
def test_the_example_in_bash_plays_a_game(table):
    table.play(1, 2, hands=5, bot="maniac", close="the run is over")
    done = subprocess.run(
        ["bash", EXAMPLES / "poll.sh", table.url], capture_output=True, text=True, timeout=LONG_S, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "the run is over\n", "")
    table.join()
    assert [table.faults(1), table.faults(2)] == [[], []]


class Contract:
    """Does what the block `protocol` says, and knows nothing else, as such clients do: no urlencoding, no reconnecting.

    A message is handled by the first rule that fits. `decide` stands for the model.
    """

    def __init__(self, document, decide):
        self.protocol = front_matter(document)["protocol"]
        self.decide = decide
        self.known = {"AGENT_NAME": "reader"}
        self.classes = []

    def filled(self, template):
        if isinstance(template, dict):
            found = {key: self.filled(value) for key, value in template.items()}
            return {key: value for key, value in found.items() if value not in (None, "")}
        if isinstance(template, str):
            whole = re.fullmatch(r"\{(\w+)\}", template)
            if whole:
                return self.known[whole[1]]
            return re.sub(r"\{(\w+)\}", lambda name: str(self.known[name[1]]), template)
        return template

    def bootstrap(self, client):
        for step in self.protocol["bootstrap"]:
            response = client.request(
                step["method"],
                self.filled(step["url"]),
                headers=self.filled(step.get("headers", {})),
                json=self.filled(step["body"]),
            )
            assert response.is_success, response.text
            self.known |= {name: response.json()[field] for name, field in step["extract"].items()}
        return self.filled(self.protocol["websocket"]["url"])

    def fits(self, rule, message):
        if any(message.get(key) != value for key, value in rule["match"].items()):
            return False
        for condition in rule.get("when", ()):
            value = message.get(condition["field"])
            if "equals_var" in condition and value != self.known.get(condition["equals_var"]):
                return False
            if condition.get("not_empty") and value in (None, []):
                return False
        return True

    def handle(self, message):
        """Return what to send, or None; "end" when it is over."""
        rule = next((rule for rule in self.protocol["websocket"]["on_message"] if self.fits(rule, message)), None)
        assert rule is not None, message
        self.known |= {name: message.get(field) for name, field in rule.get("extract", {}).items()}
        self.classes.append(rule["class"])
        if rule["class"] == "terminal":
            return "end"
        if rule["class"] != "actionable":
            return None
        self.known |= self.decide(message)
        return json.dumps(self.filled(self.protocol["decision"]["action_template"]))


def careful(message):
    kinds = [action["kind"] for action in message["actions"]]
    return {"kind": "check" if "check" in kinds else "call", "amount": None, "reasoning": "why not"}


def raising(message):
    raise_to = next((action for action in message["actions"] if action["kind"] == "raiseTo"), None)
    return careful(message) if raise_to is None else {"kind": "raiseTo", "amount": raise_to["min"], "reasoning": ""}


@pytest.mark.parametrize("decide", [careful, raising])
def test_a_client_that_only_knows_the_block_of_the_protocol_plays_to_the_end(table, decide):
    contract = Contract(skill_of(table), decide)
    url = contract.bootstrap(table.client)
    assert urlsplit(url).port == table.port
    table.play(1, 2, hands=4, close="the run is over")
    with connect(url) as ws:
        while True:
            answer = contract.handle(json.loads(ws.recv(timeout=LONG_S)))
            if answer == "end":
                break
            if answer is not None:
                ws.send(answer)
    table.join()
    assert [table.faults(1), table.faults(2)] == [[], []]
    assert "setup" in contract.classes
    assert contract.classes.count("actionable") > 4


def test_the_schema_of_a_decision_has_every_field_that_the_template_fills(table):
    protocol = front_matter(skill_of(table))["protocol"]
    schema = protocol["decision"]["schema"]
    assert set(schema["required"]) == set(schema["properties"]) == {"reasoning", "kind", "amount"}
    assert {key for field in schema["properties"].values() for key in field} == {"type", "enum", "description"}
    assert protocol["state"]["accumulate"][0]["on"] == "game_state"  # not the `true` of old readers
    assert protocol["decision"]["safety"] == {"prefer": "check", "fallback": "fold"}
