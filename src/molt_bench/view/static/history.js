// Runs side by side, one agent over its runs, and where it got worse.
import { dataTable, dotChart } from "./charts.js";
import { load } from "./data.js";
import { h, number, scrollTable, th } from "./dom.js";
import { crumbs } from "./matchpage.js";
import { route } from "./router.js";
import { fixed, moment, plural, signed, visibleLine } from "./text.js";

const VERDICTS = { worse: "▼ worse", better: "▲ better", within: "within the noise", unknown: "not comparable" };

export async function historyPage(place, view) {
  const data = await load("api/history.json");
  const runs = runsOf(data);
  if (!data.agents.length) return view.show("History", h("h1", "History"), h("p.empty", "No finished run has a result yet."));
  const head = [th("Agent"), ...runs.map((run) => th([h("a", { href: route("run", run.run) }, visibleLine(run.run)), h("small", moment(run.started))], { class: "number" }))];
  const rows = data.agents.map((agent) => {
    const byRun = new Map(agent.points.map((point) => [point.run, point]));
    return h("tr", h("th", { scope: "row" }, h("a", { href: route("history", agent.name) }, visibleLine(agent.name))),
      runs.map((run) => resultCell(byRun.get(run.run), data.regressions.find((one) => one.agent === agent.name && one.to === run.run))));
  });
  view.show("History", h("h1", "History"),
    h("p.soft", "bb/100 with its 95% interval in each run, oldest run first. Numbers of runs with other opponents or rules do not compare; the verdicts say where they do."),
    h("section.part", h("h2", "Runs side by side"), scrollTable("Results of all agents in all runs", head, rows, { class: "stats" })),
    h("section.part", h("h2", "Changes from run to run"), regressionTable(data.regressions)));
}

function runsOf(data) {
  const found = new Map();
  for (const agent of data.agents) for (const point of agent.points) found.set(point.run, point);
  return [...found.values()].sort((one, other) => ((one.started ?? one.run) < (other.started ?? other.run) ? -1 : 1));
}

function resultCell(point, change) {
  if (!point) return h("td.number.soft", "–");
  const marked = change && (change.verdict === "worse" || change.verdict === "better");
  return h("td.number", { class: marked ? `is-${change.verdict}` : "" }, marked && h("span", { title: VERDICTS[change.verdict] }, change.verdict === "worse" ? "▼ " : "▲ "),
    marked && h("span.unseen", `${change.verdict} than before: `), signed(point.bb100), point.halfWidth !== null && h("small", `± ${fixed(point.halfWidth)}`));
}

function regressionTable(changes, { named = true } = {}) {
  if (!changes.length) return h("p.empty", "No agent has played in two runs that can be compared.");
  const rows = changes.map((one) => h("tr", named && h("th", { scope: "row" }, h("a", { href: route("history", one.agent) }, visibleLine(one.agent))),
    h("td", h("a", { href: route("run", one.from) }, visibleLine(one.from))), h("td", h("a", { href: route("run", one.to) }, visibleLine(one.to))),
    number(signed(one.difference)), number(fixed(one.halfWidth)), h("td", { class: `is-${one.verdict}` }, VERDICTS[one.verdict] ?? visibleLine(one.verdict), one.why && h("small", visibleLine(one.why)))));
  return scrollTable("Changes", [named && th("Agent"), th("From"), th("To"), th("Difference, bb/100", { class: "number" }), th("± 95%", { class: "number" }), th("Verdict")], rows);
}

export async function agentPage(place, view) {
  const name = place.parts[1];
  const data = await load("api/history.json");
  const agent = data.agents.find((one) => one.name === name);
  const shown = visibleLine(name);
  const trail = crumbs(["History", "#/history"], [shown, null]);
  if (!agent) return view.show(shown, trail, h("h1", shown), h("p.empty", "No run in this folder has an agent of this name."));
  const points = [...agent.points].sort((one, other) => ((one.started ?? one.run) < (other.started ?? other.run) ? -1 : 1));
  const changes = data.regressions.filter((one) => one.agent === name);
  const turned = (point) => changes.find((one) => one.to === point.run)?.verdict;
  const label = `bb/100 of ${shown} over its runs, with 95% intervals`;
  const chart = dotChart({
    label, xLabel: "runs, oldest first", yLabel: "bb/100", joined: true, named: false, xTicks: points.length <= 12 ? points.map((_, index) => index + 1) : null, xFormat: (value) => (Number.isInteger(value) ? String(value) : ""), yFormat: (value) => signed(value, Number.isInteger(value) ? 0 : 1),
    points: points.map((point, index) => ({ x: index + 1, y: point.bb100, half: point.halfWidth, colour: turned(point) === "worse" ? 1 : 0, name: visibleLine(point.run) })).filter((point) => point.y !== null),
  });
  const rows = points.map((point, index) => h("tr",
    number(String(index + 1)), h("th", { scope: "row" }, h("a", { href: route("run", point.run) }, visibleLine(point.run))), h("td", moment(point.started)),
    number(signed(point.bb100), { class: "strong" }), number(fixed(point.halfWidth)), number(point.mu === null ? "–" : `${fixed(point.mu)} ± ${fixed(point.sigma)}`), codeCell(point, points[index - 1]),
    h("td", { class: `is-${turned(point)}` }, VERDICTS[turned(point)] ?? ""), h("td.wide", point.opponents.map(visibleLine).join(", "))));
  view.show(shown, trail, h("h1", shown), h("p.soft", `${plural(points.length, "run")}.`),
    h("figure", h("figcaption", label), chart, dataTable(label, ["Run", "bb/100", "± 95%"], () => points.map((point) => [visibleLine(point.run), signed(point.bb100), fixed(point.halfWidth)]))),
    h("section.part", h("h2", "Runs"), scrollTable("Runs of this agent", [th("#", { class: "number" }), th("Run"), th("Started"), th("bb/100", { class: "number" }), th("± 95%", { class: "number" }), th("Rating", { class: "number" }), th("Code"), th("Against the run before"), th("Opponents")], rows)),
    h("section.part", h("h2", "Changes"), regressionTable(changes, { named: false })));
}

function codeCell(point, before) {
  const code = point.codeHash ? visibleLine(point.codeHash).slice(0, 10) : "–";
  const changed = before && before.codeHash !== point.codeHash;
  return h("td", h("code", code), changed && h("span.note", "changed"));
}
