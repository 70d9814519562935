// Who is first, how sure that is, and what is not resolved.
import { extent, scale, ticks, whisker } from "./charts.js";
import { h, number, s, scrollTable, th } from "./dom.js";
import { rankText } from "./runs.js";
import { dollars, fixed, percent, signed, visible, whole } from "./text.js";

export function leaderboardSection(run, agents) {
  const rows = run.leaderboard;
  if (!rows.length) return h("p.empty", "No match is finished yet.");
  const [low, high] = extent([0, ...rows.flatMap((row) => (row.halfWidth === null ? [row.bb100] : [row.bb100 - row.halfWidth, row.bb100 + row.halfWidth]))].filter(Number.isFinite), 0.04);
  const paid = rows.some((row) => row.usdPerHand !== null && row.usdPerHand !== undefined);
  const head = [
    th("#", { class: "number" }), th("Agent"), th("bb/100", { class: "number" }), th("± 95%", { class: "number", title: "Half of the 95% interval, looked at once" }), th(axis(low, high)),
    th("Ranks", { class: "number", title: "The ranks that the result leaves open" }), th("Against the next below"), th("W–L–D", { class: "number" }),
    th("Rating", { class: "number", title: "OpenSkill: mu ± sigma" }), th("Faults", { class: "number" }), paid && th("$ per hand", { class: "number" }),
  ];
  const body = rows.map((row, index) => h("tr",
    number(row.rank === null ? "–" : String(row.rank)),
    h("th", { scope: "row" }, agents.label(row.id), agents.anchor(row.id) && h("span.note", { title: "Its rating is held fixed" }, "anchor")),
    number(signed(row.bb100), { class: "strong" }), number(fixed(row.halfWidth)),
    h("td.plot", whisker(row.bb100, row.halfWidth, low, high, agents.colour(row.id))),
    number(row.ranks ? rankText(row.ranks) : "–"), h("td", verdict(row, rows[index + 1], agents)),
    number(`${row.wins}–${row.losses}–${row.draws}`), number(`${fixed(row.mu)} ± ${fixed(row.sigma)}`),
    number(whole(row.faults), { class: row.faults ? "bad" : "" }), paid && number(dollars(row.usdPerHand))));
  return [
    scrollTable("Leaderboard", head, body, { class: "leaderboard" }),
    run.sentences?.length ? h("ul.sentences", run.sentences.map((text) => h("li", visible(text)))) : null,
  ];
}

const WORDS = { ordered: "above", reversed: "below", tied: "tied with", unresolved: "not resolved against" };

function verdict(row, next, agents) {
  if (!next || row.rank === null || next.rank === null) return h("span.soft", "–");
  const known = row.sure !== null && row.sure !== undefined;
  const sure = known ? ` (${percent(row.verdict === "reversed" ? 1 - row.sure : row.sure)})` : "";
  // Rows are in the order of the ratings, which count matches won; by bb/100 the next may well be the better one.
  const word = row.verdict === "unresolved" && known && row.sure < 0.5 ? "not shown to be above" : WORDS[row.verdict];
  if (!word) return h("span.soft", "no verdict yet");
  return h("span", { class: `verdict is-${row.verdict}` }, `${word} `, h("bdi", agents.name(next.id)), row.verdict === "tied" ? "" : sure);
}

/** The scale of the whiskers, as the head of their column. */
function axis(low, high, width = 190) {
  const at = scale(low, high, 6, width - 6);
  return [h("span.unseen", "Interval, drawn"), s("svg.whisker", { width: `${width / 16}rem`, height: "1.125rem", viewBox: `0 0 ${width} 18`, "aria-hidden": "true" },
    ticks(low, high, 5).map((tick) => [s("text", { x: at(tick), y: 11, "text-anchor": at(tick) < 18 ? "start" : at(tick) > width - 18 ? "end" : "middle" }, whole(tick)), s("line.axis", { x1: at(tick), x2: at(tick), y1: 14, y2: 18 })]))];
}
