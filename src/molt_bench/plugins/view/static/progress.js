// A run in progress: what is being played, how much of the budget is used, how long it may take, and what it has cost.
import { facts, h } from "./dom.js";
import { route } from "./router.js";
import { dollars, fixed, plural, seconds, whole } from "./text.js";

/** Least time between announcements to a screen reader. */
export const SAY_MS = 15000;
const UNITS = { dollars, seconds };
const amount = (label, value) => (UNITS[label] ?? whole)(value);

/** What happens right now in a run in progress; nothing for any other. */
export function livePanel(run, agents) {
  const { live } = run;
  if (!live) return null;
  const known = [
    ["Time so far", seconds(live.seconds)],
    ["Time to go", live.secondsLeft === null ? "not known yet" : `at most about ${roughly(live.secondsLeft)}`],
    live.usd !== null && ["Dollars so far", `${live.unpriced ? "at least " : ""}${dollars(live.usd)}`],
  ];
  return h("section.live-now", { "aria-label": "Now" }, [
    h("h2", "Now"),
    h("ul.playing-now", nowLines(run, agents)),
    facts(known.filter(Boolean)),
    live.budgets.map(budgetBar),
    live.open.length > 0 && h("p.still-open", openLine(live, agents)),
    h("p.soft", ending(live)),
  ]);
}

function nowLines({ id, live }, agents) {
  const lines = live.matches.map(({ match, a, b, games, of }) =>
    h("li", [
      h("a", { href: route("run", id, "match", match) }, `Match ${match}`),
      ": ",
      agents.label(a),
      " against ",
      agents.label(b),
      `, ${whole(games)} of ${plural(of, "game")} finished`,
    ])
  );
  if (live.moreMatches) lines.push(h("li", `and ${plural(live.moreMatches, "more match", "more matches")}`));
  if (live.underWay) lines.push(h("li", underWay(live.underWay, agents)));
  return lines.length ? lines : [h("li", "The next match has begun; none of its games has finished yet.")];
}

/** Which orders are open, and what it would take to decide them. */
function openLine({ open, moreHands }, agents) {
  const pairs = open.slice(0, 3).map(({ above, below }, index) => [
    index > 0 && ", ",
    agents.label(above),
    " and ",
    agents.label(below),
  ]);
  const more = open.length > 3 ? ` and ${whole(open.length - 3)} more` : "";
  const takes = moreHands ? `: about ${whole(Number(moreHands.toPrecision(2)))} more hands would decide` : "";
  return ["Open: ", pairs, `${more}${takes}.`];
}

function underWay({ games, match, hand, agents: asked }, agents) {
  const names = asked.map((id, index) => [index > 0 && ", ", agents.label(id)]);
  return [`${plural(games, "game")} under way with `, names, `; the latest hand begun: ${hand} of match ${match}`];
}

/** One limit of the run as a bar. */
function budgetBar({ label, used, limit, share }) {
  const text = `${amount(label, used)} of ${amount(label, limit)}${UNITS[label] ? "" : ` ${label}`}`;
  const bar = h("span.track", { "aria-hidden": "true" }, h("span.slice", { css: { width: `${share * 100}%` } }));
  return h("div.budget", h("span", text), bar, h("span.share", `${fixed(share * 100, share < 0.1 ? 1 : 0)}%`));
}

/** Seconds to two figures: more would claim too much. */
function roughly(value) {
  return value < 60 ? `${Math.max(1, Math.round(value))} s` : seconds(Math.round(value / 60) * 60).replace(" 0 s", "");
}

function ending({ budgets, spentFirst, secondsLeft, endsWhenSure }) {
  const sooner = endsWhenSure ? " It ends sooner if the order is sure before that." : "";
  if (!budgets.length) return `The run has no budget.${endsWhenSure ? " It ends when the order is sure." : ""}`;
  if (secondsLeft === null) return `Too little has been played to say how long it takes.${sooner}`;
  return `If it goes on like this, the budget of ${spentFirst} is used up first.${sooner}`;
}
