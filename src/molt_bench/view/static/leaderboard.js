// Who leads, how certain that is, and what is undecided.
import { ends, extent, whisker, whiskerAxis } from "./charts.js";
import { h, number, numberHead, scrollTable, th } from "./dom.js";
import { rankText } from "./runs.js";
import { dollars, fixed, isMissing, percent, signed, visible, whole } from "./text.js";

const ANCHOR = "A reference opponent: rated like the others, but not in the field that win rates are measured against";

const REFERENCE = "Everybody plays this one alone, and is ranked by what it wins from it; it stands at 0 by definition";

function roleNote(id, agents) {
  if (agents.reference(id)) return h("span.note", { title: REFERENCE }, "reference");
  return agents.anchor(id) && h("span.note", { title: ANCHOR }, "anchor");
}

export function leaderboardSection(run, agents) {
  const rows = run.leaderboard;
  if (!rows.length) return h("p.empty", "No match is finished yet.");
  const [low, high] = extent([0, ...rows.flatMap((one) => ends(one.bb100, one.halfWidth))], 0.04);
  // In a gauntlet, bb/100 are won from the reference already.
  const isApart = rows.some((one) => one.fromReference) && !rows.some((one) => agents.reference(one.id));
  const isPaid = rows.some((one) => !isMissing(one.usdPerHand));
  const head = [
    numberHead("#"),
    th("Agent"),
    numberHead("bb/100"),
    numberHead("± 95%", { title: "Half the width of the 95% interval, at a single look" }),
    isApart && numberHead("v reference", { title: "bb/100 won from the reference, in their own games alone" }),
    th([h("span.unseen", "Interval as a chart"), whiskerAxis(low, high)]),
    numberHead("Ranks", { title: "The ranks that this result leaves possible" }),
    th("Against the next below"),
    numberHead("W–L–D"),
    numberHead("Rating", { title: "OpenSkill: mu ± sigma" }),
    numberHead("Faults"),
    isPaid && numberHead("$ per hand"),
  ];
  const body = rows.map((one, index) =>
    h("tr", [
      number(one.rank === null ? "–" : String(one.rank)),
      h("th", { scope: "row" }, agents.label(one.id), roleNote(one.id, agents)),
      number(signed(one.bb100), { class: "strong" }),
      number(agents.reference(one.id) ? "–" : fixed(one.halfWidth)),
      isApart && number(one.fromReference ? `${signed(one.fromReference[0])} ± ${fixed(one.fromReference[1])}` : "–"),
      h("td.plot", whisker(one.bb100, one.halfWidth, low, high, agents.colour(one.id))),
      number(one.ranks ? rankText(one.ranks) : "–"),
      h("td", verdict(one, rows[index + 1], agents)),
      number(`${one.wins}–${one.losses}–${one.draws}`),
      number(`${fixed(one.mu)} ± ${fixed(one.sigma)}`),
      number(whole(one.faults), { class: one.faults ? "bad" : "" }),
      isPaid && number(dollars(one.usdPerHand)),
    ])
  );
  return [
    scrollTable("Leaderboard", head, body, { class: "leaderboard" }),
    run.sentences.length > 0 && h("ul.sentences", run.sentences.map((text) => h("li", visible(text)))),
  ];
}

const WORDS = { ordered: "above", reversed: "below", tied: "tied with", unresolved: "undecided against" };

function verdict(one, next, agents) {
  if (!next || one.rank === null || next.rank === null) return h("span.soft", "–");
  const known = !isMissing(one.sure);
  const sure = known ? ` (${percent(one.verdict === "reversed" ? 1 - one.sure : one.sure)})` : "";
  // Rows are sorted by rating, which counts matches won; by bb/100 the next agent may well be the better one.
  const word = one.verdict === "unresolved" && known && one.sure < 0.5 ? "not shown to be above" : WORDS[one.verdict];
  if (!word) return h("span.soft", "no verdict yet");
  const name = h("bdi", agents.name(next.id));
  return h("span", { class: `verdict is-${one.verdict}` }, `${word} `, name, one.verdict === "tied" ? "" : sure);
}
