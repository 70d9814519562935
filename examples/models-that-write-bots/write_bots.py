"""A model writes a bot, round by round: it is checked, plays the ladder in a box, and is shown its costliest decisions.

    python write_bots.py gpt-4.1 --rounds 5

The key is in OPENAI_API_KEY. OPENAI_BASE_URL names another server that speaks the Chat Completions API.
"""

import argparse
import json
import os
import re
import subprocess
import urllib.request
from pathlib import Path

LADDER = "callstation,tag,maniac"
UNFIT = float("-inf")
RULES = ("--max-matches", "3", "--scheduler", "gauntlet", "--set", "stop.adjacentConfidence=null")
TASK = """Write a bot for heads-up no-limit hold'em in one Python file, with the standard library and molt_bench alone:

from molt_bench import Action, Mix, Observation, strength

class Bot:
    name = "bot"
    def act(self, observation: Observation) -> Action | Mix: ...

def make(): return Bot()

observation has cards, board (ints from 0 to 51: rank is card // 4), pot, pot_odds, to_call, min_raise_to, max_raise_to,
stacks, bets, log and legal.kinds. Answer Action("fold"), Action("check"), Action("call") or Action("raiseTo", total); a
Mix([(action, weight), ...]) is drawn by the bench. Reply with the whole file in one ```python block."""


def ask(model: str, messages: list[dict[str, str]]) -> str:
    """Return the reply of the model."""
    base = os.environ.get("OPENAI_BASE_URL", "https://api.openai.com/v1")
    headers = {"Authorization": f"Bearer {os.environ['OPENAI_API_KEY']}", "Content-Type": "application/json"}
    body = json.dumps({"model": model, "messages": messages}).encode()
    with urllib.request.urlopen(urllib.request.Request(f"{base}/chat/completions", body, headers)) as answer:
        return json.load(answer)["choices"][0]["message"]["content"]


def bench(*words: str) -> dict:
    """Run a command of molt-bench, and return what it prints as JSON; without an answer, the error it printed."""
    done = subprocess.run(["molt-bench", *words, "--json"], capture_output=True, text=True, check=False)
    return json.loads(done.stdout) if done.stdout else {"error": done.stderr}


def judged(bot: str, hands: str) -> tuple[float, str]:
    """Check a bot and play the ladder; return its result in bb/100, and what to tell the model."""
    checked = bench("check", bot, "--sandbox", "--hands", hands)
    if not checked.get("fit"):
        wrong = [problem for check in checked.get("checks", ()) for problem in check["problems"]]
        return UNFIT, f"The bot is not fit to play: {checked.get('error') or '; '.join(wrong)}"
    run = bench("run", "--participants", f"{bot},{LADDER}", "--sandbox", "--hands", hands, *RULES)
    rungs = {row["id"]: -row["bbPer100"] for row in run["participants"] if row["id"] in LADDER.split(",")}
    worst = "\n".join(
        f"- {each['street']}, cards {each['cards']}, board {each['board'] or 'none'}: {each['done']}, better "
        f"{each['best']} ({each['lossMbb'] / 1000:.1f} big blinds)"
        for each in bench("grade", run["runDir"], "--agent", "bot")["participants"][0]["costliest"][:8]
    )
    won = ", ".join(f"{result:+.1f} from {name}" for name, result in rungs.items())
    return sum(rungs.values()) / len(rungs), f"It won {won} (bb/100). What cost it most:\n{worst}"


parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
parser.add_argument("model")
parser.add_argument("--rounds", type=int, default=5)
parser.add_argument("--hands", default="50", help="hands of a game")
given = parser.parse_args()
messages, results = [{"role": "user", "content": TASK}], {}
for number in range(1, given.rounds + 1):
    reply = ask(given.model, messages)
    bot = Path(f"round-{number}", "bot.py")
    bot.parent.mkdir(exist_ok=True)
    bot.write_text("".join(re.findall(r"```python\n(.*?)```", reply, re.DOTALL)[-1:]), "utf-8")
    results[bot], told = judged(f"{bot}:make", given.hands)
    print(f"round {number}: {'not fit to play' if results[bot] == UNFIT else f'{results[bot]:+.1f} bb/100'}")
    messages += [{"role": "assistant", "content": reply}, {"role": "user", "content": f"{told}\n\nImprove it."}]
print(f"best: {max(results, key=results.__getitem__)}" if max(results.values()) > UNFIT else "no bot was fit to play")
