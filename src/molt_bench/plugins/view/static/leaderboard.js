// Who leads, how certain that is, and what is undecided.
import { button, h, number, numberHead, scrollTable, th } from "./dom.js";
import { GLOSSARY } from "./glossary.js";
import { bracketCell, bracketLanes, interval, intervalAxis, intervalScale } from "./intervals.js";
import { route, withQuery } from "./router.js";
import { dollars, fixed, isMissing, NONE, percent, rankText, signed, visible, whole } from "./text.js";

const ANCHOR = "A reference opponent: rated like the others, but not in the field that win rates are measured against";

const REFERENCE = "Everybody plays this one alone, and is ranked by what it wins from it; it stands at 0 by definition";

function roleNote(id, agents) {
  if (agents.reference(id)) return h("span.note", { title: REFERENCE }, "reference");
  return agents.anchor(id) && h("span.note", { title: ANCHOR }, "anchor");
}

/** How a language model was asked, beside its name. */
function replyNote({ reply }) {
  return reply &&
    h(
      "span.note",
      { title: "How this model was asked: the form of its reply with its version, and its track" },
      visible(reply),
    );
}

/** What is plotted of an agent: its rating if the order is by that, else its result; a reference has no interval. */
function plotted(one, agents, isByRating) {
  if (isByRating) return { value: one.mu, half: one.sigma, text: ratingText(one) };
  const half = agents.reference(one.id) ? null : one.halfWidth;
  return { value: one.bb100, half, text: withInterval([one.bb100, half]) };
}

/** The columns: head and cell. Those with the class `more` are shown on demand. */
function agentColumns(run, agents, state, isByRating) {
  const rows = run.leaderboard;
  const isPaid = rows.some((one) => !isMissing(one.usdPer100));
  const more = { class: "number more" };
  const raw = { ...more, title: GLOSSARY.raw };
  const rating = { ...more, title: GLOSSARY["mu±sigma"] };
  const result = { class: "number value", title: isByRating ? GLOSSARY["mu±sigma"] : GLOSSARY["bb/100"] };
  const shown = rows.map((one) => plotted(one, agents, isByRating));
  const common = intervalScale(shown.map(({ value, half }) => [value, half]));
  const brackets = bracketLanes(run.rule.openRuns);
  return [
    brackets.length > 0 && [
      h("td.ties", h("span.unseen", "Not told apart")),
      (_, index) => h("td.ties", bracketCell(brackets, index)),
    ],
    [
      numberHead("Rank", { class: "number rank", title: GLOSSARY.rank }),
      (one) => number(rankText(one.ranks), { class: "rank" }),
    ],
    [
      th("Agent", { class: "who" }),
      (one) =>
        h(
          "th.who",
          { scope: "row" },
          agents.label(one.id),
          roleNote(one.id, agents),
          replyNote(one),
        ),
    ],
    [
      th([h("span.unseen", "Interval as a chart"), intervalAxis(common)], { class: "plot" }),
      (one, index) => h("td.plot", interval(shown[index].value, shown[index].half, agents.colour(one.id), common)),
    ],
    [
      numberHead(isByRating ? "Rating, mu ± sigma" : "bb/100 ± 95%", result),
      (_, index) => resultCell(shown[index]),
    ],
    isByRating && [numberHead("bb/100", more), (one) => number(withInterval([one.bb100, one.halfWidth]), more)],
    [numberHead("Raw", raw), (one) => number(withInterval(one.raw), raw)],
    isPaid && [numberHead("$ per 100 hands", more), (one) => number(dollars(one.usdPer100), more)],
    [
      th("Above the next?", { class: "more", title: GLOSSARY.sure }),
      (one, index) => h("td.more", verdict(one, rows[index + 1], agents, run.rule)),
    ],
    [numberHead("Matches W–L–D", more), (one) => number(`${one.wins}–${one.losses}–${one.draws}`, more)],
    !isByRating && [numberHead("Rating, mu", rating), (one) => number(ratingText(one), rating)],
    [numberHead("Hands", more), (one) => number(handsLink(state, { agent: one.id }, one.hands), more)],
    [
      numberHead("Faults", more),
      (one) =>
        number(one.faults ? handsLink(state, { agent: one.id, fault: "yes" }, one.faults) : "0", {
          class: `more ${one.faults ? "bad" : ""}`,
        }),
    ],
  ].filter(Boolean);
}

/** A count of hands that leads to them. */
function handsLink(state, filters, count) {
  if (!state.run) return whole(count); // of several runs together
  return h("a", { href: withQuery(route("run", state.run, "hands"), filters) }, whole(count));
}

function withInterval(both) {
  if (!both || isMissing(both[0])) return NONE;
  return isMissing(both[1]) ? signed(both[0]) : `${signed(both[0])} ± ${fixed(both[1])}`;
}

const ratingText = ({ mu, sigma }) => `${fixed(mu)} ± ${fixed(sigma)}`;

function resultCell({ text }) {
  const [value, half] = text.split(" ± ");
  return h("td.number.value", h("span.strong", value), half && h("span.half", ` ± ${half}`));
}

/** Agents from which on the pages draw less of each. */
export const MANY = 12;

export function leaderboardSection(run, agents, state) {
  const rows = run.leaderboard;
  const isKnown = rows.some((one) => !isMissing(one.bb100));
  if (!isKnown) return h("p.empty", "No match is finished yet.");
  const isByRating = run.rule.method === "openskill";
  const columns = agentColumns(run, agents, state, isByRating);
  const body = rows.map((one, index) => h("tr", columns.map(([, cell]) => cell(one, index))));
  const look = rows.length > MANY ? "leaderboard compact" : "leaderboard";
  const box = scrollTable("Leaderboard", columns.map(([head]) => head), body, { class: look });
  const toggle = button("", () => show(!state.open.columns));
  const show = (all) => {
    state.open.columns = all;
    box.querySelector("table").classList.toggle("all", all);
    toggle.textContent = all ? "Fewer columns" : "All columns";
    toggle.setAttribute("aria-expanded", String(all));
  };
  show(Boolean(state.open.columns));
  return [
    box,
    h("div.bar", toggle),
    h(
      "details.about",
      h("summary", "How to read this"),
      h("p.soft", aboutLeaderboard(run.rule, opponentsOf(rows, agents))),
    ),
    run.sentences.length > 0 &&
    h("ul.sentences", run.sentences.map((text) => h("li", withNames(text, agents)))),
  ];
}

const LONG_NAME = 48;

const MARKED = /\u2068(.*?)\u2069/su;

/** A sentence with names in place of the ids between its marks. */
export function withNames(text, agents) {
  return text.split(MARKED).map((part, at) => {
    if (at % 2 === 0) return visible(part);
    const name = agents.name(part);
    return h("bdi", { title: name }, shortened(name));
  });
}

/** A very long name cut in its middle, for names often differ at their ends; the table has it in full. */
function shortened(name) {
  const letters = [...name];
  if (letters.length <= LONG_NAME) return name;
  return [...letters.slice(0, LONG_NAME / 2), "…", ...letters.slice(-LONG_NAME / 2)].join("");
}

/** Whom bb/100 are won from. */
function opponentsOf(rows, agents) {
  if (rows.some(({ id }) => agents.reference(id))) return "from the reference";
  const hasAnchors = rows.some(({ id }) => agents.anchor(id));
  return hasAnchors ? "from all opponents alike, anchors aside" : "from all opponents alike";
}

/** What the intervals, ranks and verdicts of the table mean. */
function aboutLeaderboard({ method, claimedFrom, estimator }, from) {
  const luck = estimator === "raw" ? "as dealt" : "with luck removed";
  const interval = `bb/100: big blinds won per 100 hands ${from}, ${luck} (estimator ` +
    `${visible(estimator)}), ± an interval that allows for looking after every round. `;
  if (method !== "margin") return `Ranked by OpenSkill rating (mu ± sigma), which counts matches won. ${interval}`;
  const level = Number((claimedFrom * 100).toPrecision(9));
  return `${interval}One agent is said to be above the next only where that is ${level}% sure, however often one ` +
    "looks. A rank such as 2–5 says which ranks are possible by the orders that are claimed: agents that are not " +
    "told apart share them, sorted by result. A bracket joins agents that are not told apart.";
}

const WORDS = { ordered: "yes, above", tied: "tied with", open: "open against" };

/** Whether an agent is above the next, and how sure that is: by the stop rule, or else by the ratings. */
function verdict(one, next, agents, { method }) {
  if (!next || !one.ranks || !next.ranks || isMissing(one.sure)) return h("span.soft", NONE);
  const word = method === "margin" ? WORDS[one.verdict] : "by rating above";
  if (!word) return h("span.soft", NONE);
  const name = h("bdi", agents.name(next.id));
  const [measured, half] = (one.lead ?? []).map((lead) => fixed(lead));
  const lead = one.lead ? `, by ${measured} ± ${half}` : "";
  return h("span", { class: `verdict is-${one.verdict}` }, `${word} `, name, ` (${percent(one.sure)}${lead})`);
}
