// Who leads, how certain that is, and what is undecided.
import { ends, extent, whisker, whiskerAxis } from "./charts.js";
import { button, h, number, numberHead, scrollTable, th } from "./dom.js";
import { route, withQuery } from "./router.js";
import { dollars, fixed, isMissing, NONE, percent, rankText, signed, visible, whole } from "./text.js";

const ANCHOR = "A reference opponent: rated like the others, but not in the field that win rates are measured against";

const REFERENCE = "Everybody plays this one alone, and is ranked by what it wins from it; it stands at 0 by definition";

function roleNote(id, agents) {
  if (agents.reference(id)) return h("span.note", { title: REFERENCE }, "reference");
  return agents.anchor(id) && h("span.note", { title: ANCHOR }, "anchor");
}

/** How a language model was asked, beside its name. */
function harnessNote({ harness }) {
  return harness &&
    h(
      "span.note",
      { title: "How this model was asked: its harness with its version, and its track" },
      visible(harness),
    );
}

const SUSPECT = "Its chips and its result without luck cannot both be right: its pairings are judged by chips alone";

function suspectNote({ suspect }) {
  return suspect && h("span.note.bad", { title: SUSPECT }, "suspected");
}

/** The columns: head, cell, and whether a column is shown only on demand. */
function agentColumns(run, agents, state, [low, high]) {
  const rows = run.leaderboard;
  // In a gauntlet, bb/100 are won from the reference already.
  const isApart = rows.some((one) => one.fromReference) && !rows.some((one) => agents.reference(one.id));
  const isPaid = rows.some((one) => !isMissing(one.usdPer100));
  const more = { class: "number more" };
  const apart = { ...more, title: "bb/100 won from the reference, in their own games alone" };
  const raw = { class: "number", title: "bb/100 in chips, before luck is removed, and half of the 95% interval" };
  const aboutRating = { title: "OpenSkill, which counts matches won: mu ± sigma" };
  // The number that the order is by comes first.
  const byRating = run.rule.method === "openskill";
  const ofResult = byRating ? "number more" : "number";
  const rating = { ...aboutRating, class: byRating ? "number" : "number more" };
  const ratingColumn = [numberHead("Rating, mu", rating), (one) => number(ratingText(one), rating)];
  return [
    [numberHead("Rank"), (one) => number(rankText(one.ranks))],
    [
      th("Agent"),
      (one) =>
        h("th", { scope: "row" }, agents.label(one.id), roleNote(one.id, agents), harnessNote(one), suspectNote(one)),
    ],
    byRating && ratingColumn,
    [numberHead("bb/100", { class: ofResult }), (one) => resultCell(one, agents, ofResult)],
    [numberHead("Raw", raw), (one) => number(withInterval(one.raw), raw)],
    [
      th([h("span.unseen", "Interval as a chart"), whiskerAxis(low, high)], { class: byRating ? "more" : "" }),
      (one) =>
        h(
          "td.plot",
          { class: byRating ? "more" : "" },
          whisker(one.bb100, one.halfWidth, low, high, agents.colour(one.id)),
        ),
    ],
    isPaid && [numberHead("$ per 100 hands"), (one) => number(dollars(one.usdPer100))],
    isApart && [numberHead("bb/100 v ref", apart), (one) => number(withInterval(one.fromReference), more)],
    [
      th("Above the next?", { class: "more" }),
      (one, index) => h("td.more", verdict(one, rows[index + 1], agents, run.rule)),
    ],
    [numberHead("Matches W–L–D", more), (one) => number(`${one.wins}–${one.losses}–${one.draws}`, more)],
    !byRating && ratingColumn,
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
  return both ? `${signed(both[0])} ± ${fixed(both[1])}` : NONE;
}

const ratingText = ({ mu, sigma }) => `${fixed(mu)} ± ${fixed(sigma)}`;

function resultCell(one, agents, look) {
  const half = agents.reference(one.id) || isMissing(one.halfWidth) ? "" : `± ${fixed(one.halfWidth)}`;
  return h("td", { class: look }, h("span.strong", signed(one.bb100)), half && h("span.half", ` ${half}`));
}

export function leaderboardSection(run, agents, state) {
  const rows = run.leaderboard;
  const isKnown = rows.some((one) => !isMissing(one.bb100));
  if (!isKnown || run.counting) return h("p.empty", run.counting ? "Being counted …" : "No match is finished yet.");
  const range = extent([0, ...rows.flatMap((one) => ends(one.bb100, one.halfWidth))], 0.04);
  const columns = agentColumns(run, agents, state, range);
  const body = rows.map((one, index) => h("tr", columns.map(([, cell]) => cell(one, index))));
  const box = scrollTable("Leaderboard", columns.map(([head]) => head), body, { class: "leaderboard" });
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
    h("div.bar", h("p.soft", aboutLeaderboard(run.rule, opponentsOf(rows, agents))), toggle),
    run.sentences.length > 0 &&
    h("ul.sentences", run.sentences.map((text) => h("li", withNames(text, agents)))),
  ];
}

const LONG_NAME = 48;

/** A sentence with names in place of the ids between its marks. */
export function withNames(text, agents) {
  return text.split(/\u2068(.*?)\u2069/su).map((part, at) => {
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
    `${visible(estimator)}), ± the 95% interval. `;
  if (method !== "margin") return `Ranked by OpenSkill rating (mu ± sigma), which counts matches won. ${interval}`;
  const level = Number((claimedFrom * 100).toPrecision(9));
  return `${interval}One agent is said to be above the next only where that is ${level}% sure, however often one ` +
    "looks. A rank such as 2–5 says which ranks are possible by the orders that are claimed: agents that are not " +
    "told apart share them, sorted by result.";
}

const WORDS = { ordered: "yes, above", tied: "tied with", unresolved: "not resolved against" };

/** Whether an agent is above the next, and how sure that is: by the stop rule, or else by the ratings. */
function verdict(one, next, agents, { method }) {
  if (!next || !one.ranks || !next.ranks || isMissing(one.sure)) return h("span.soft", NONE);
  const word = method === "margin" ? WORDS[one.verdict] : "by rating above";
  if (!word) return h("span.soft", NONE);
  const name = h("bdi", agents.name(next.id));
  const lead = one.lead ? `, by ${fixed(one.lead[1])}; as measured ${fixed(one.lead[0])}` : "";
  return h("span", { class: `verdict is-${one.verdict}` }, `${word} `, name, ` (${percent(one.sure)}${lead})`);
}
