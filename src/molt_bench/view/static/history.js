// All runs side by side, one agent over its runs, and where an agent got worse.
import { dataTable } from "./charts.js";
import { dotChart } from "./dots.js";
import { load } from "./data.js";
import { h, number, numberHead, row, scrollTable, th } from "./dom.js";
import { crumbs, route } from "./router.js";
import { fixed, moment, plural, signed, signedTick, visibleLine } from "./text.js";

const VERDICTS = { worse: "▼ worse", better: "▲ better", within: "within the noise", unknown: "not comparable" };
const byStart = (one, other) => ((one.started ?? one.run) < (other.started ?? other.run) ? -1 : 1);
const linkTo = (run) => h("a", { href: route("run", run) }, visibleLine(run));

/** A link to an agent: its latest name, and its id where that is another. */
function agentLink({ name: id, points }) {
  const shown = visibleLine(points.at(-1)?.name ?? id);
  return [
    h("a", { href: route("history", id) }, h("bdi", shown)),
    shown !== visibleLine(id) && h("small", visibleLine(id)),
  ];
}

export async function historyPage(_place, view) {
  const { agents, regressions, counting = [] } = await load("api/history.json");
  const title = h("h1", "History");
  const missing = counting.length > 0 &&
    h(
      "p.warning",
      `Still being counted, so not shown yet: ${counting.map(visibleLine).join(", ")}. Reload to see more.`,
    );
  if (!agents.length) return view.show("History", title, missing, h("p.empty", "No run has a result yet."));
  const found = new Map(agents.flatMap((agent) => agent.points.map((point) => [point.run, point])));
  const runs = [...found.values()].sort(byStart);
  const head = runs.map(({ run, started }) => numberHead([linkTo(run), h("small", moment(started))]));
  const rows = agents.map((agent) => {
    const { name, points } = agent;
    const byRun = new Map(points.map((point) => [point.run, point]));
    const change = (run) => regressions.find((one) => one.agent === name && one.to === run);
    return row(agentLink(agent), runs.map(({ run }) => pointCell(byRun.get(run), change(run))));
  });
  const table = scrollTable("Results of all agents in all runs", [th("Agent"), ...head], rows, { class: "stats" });
  const about =
    "bb/100 with its 95% interval in each run, by the estimator of that run, oldest run first. Results against other " +
    "opponents or under other rules are not comparable; the verdicts below only compare what is.";
  view.show("History", [
    title,
    h("p.soft", about),
    missing,
    h("section.part", h("h2", "Runs side by side"), table),
    h("section.part", h("h2", "Changes from run to run"), regressionTable(regressions, agents)),
  ]);
}

function pointCell(point, change) {
  if (!point) return h("td.number.soft", "–");
  const verdict = ["worse", "better"].includes(change?.verdict) ? change.verdict : null;
  return h("td.number", { class: verdict ? `is-${verdict}` : "" }, [
    verdict && h("span", { title: VERDICTS[verdict] }, VERDICTS[verdict].slice(0, 2)),
    verdict && h("span.unseen", `${verdict} than before: `),
    signed(point.bb100),
    point.halfWidth !== null && h("small", `± ${fixed(point.halfWidth)}`),
  ]);
}

function regressionTable(changes, agents = null) {
  if (!changes.length) return h("p.empty", "No agent has played in two comparable runs.");
  const rows = changes.map((one) =>
    h("tr", [
      agents && h("th", { scope: "row" }, agentLink(agents.find(({ name }) => name === one.agent))),
      h("td", linkTo(one.from)),
      h("td", linkTo(one.to)),
      number(signed(one.difference)),
      number(fixed(one.halfWidth)),
      h("td", { class: `is-${one.verdict}` }, VERDICTS[one.verdict], one.why && h("small", visibleLine(one.why))),
    ])
  );
  const numbers = [numberHead("Difference, bb/100"), numberHead("± 95%")];
  return scrollTable("Changes", [agents && th("Agent"), th("From"), th("To"), numbers, th("Verdict")], rows);
}

export async function agentPage(place, view) {
  const name = place.parts[1];
  const data = await load("api/history.json");
  const agent = data.agents.find((one) => one.name === name);
  const shown = visibleLine(agent?.points.at(-1)?.name ?? name);
  const top = [crumbs(["History", "#/history"], [shown, null]), h("h1", shown)];
  if (!agent) return view.show(shown, top, h("p.empty", "No run in this folder has an agent of this name."));
  const points = [...agent.points].sort(byStart);
  const changes = data.regressions.filter((one) => one.agent === name);
  const verdict = (point) => changes.find((one) => one.to === point.run)?.verdict;
  const rows = points.map((point, index) => pointRow(point, index, points[index - 1], verdict(point)));
  const numbers = ["bb/100", "± 95%", "Rating"].map((text) => numberHead(text));
  const rest = ["Code", "Against the previous run", "Opponents"].map((text) => th(text));
  const head = [numberHead("#"), th("Run"), th("Started"), numbers, rest];
  view.show(shown, [
    ...top,
    h("p.soft", `${plural(points.length, "run")}.`),
    pointChart(points, shown, verdict),
    h("section.part", h("h2", "Runs"), scrollTable("Runs of this agent", head, rows)),
    h("section.part", h("h2", "Changes"), regressionTable(changes)),
  ]);
}

function pointChart(points, shown, verdict) {
  const label = `bb/100 of ${shown} over its runs, with 95% intervals`;
  const ticks = points.length <= 12 ? points.map((_, index) => index + 1) : null;
  const format = (value) => (Number.isInteger(value) ? String(value) : "");
  const dots = points.map((point, index) => {
    const colour = verdict(point) === "worse" ? 1 : 0;
    return { x: index + 1, y: point.bb100, half: point.halfWidth, colour, name: visibleLine(point.run) };
  });
  const chart = dotChart({
    label,
    x: { label: "runs, oldest first", format, ticks },
    y: { label: "bb/100", format: signedTick },
    joined: true,
    points: dots.filter((one) => one.y !== null),
  });
  const rows = () => points.map(({ run, bb100, halfWidth }) => [visibleLine(run), signed(bb100), fixed(halfWidth)]);
  return h("figure", h("figcaption", label), chart, dataTable(label, ["Run", "bb/100", "± 95%"], rows));
}

function pointRow(point, index, previous, verdict) {
  const code = point.codeHash ? visibleLine(point.codeHash).slice(0, 10) : "–";
  const isChanged = previous && previous.codeHash !== point.codeHash;
  return h("tr", [
    number(String(index + 1)),
    h("th", { scope: "row" }, linkTo(point.run)),
    h("td", moment(point.started)),
    number(signed(point.bb100), { class: "strong" }),
    number(fixed(point.halfWidth)),
    number(point.mu === null ? "–" : `${fixed(point.mu)} ± ${fixed(point.sigma)}`),
    h("td", h("code", code), isChanged && h("span.note", "changed")),
    h("td", { class: `is-${verdict}` }, VERDICTS[verdict] ?? ""),
    h("td.wide", point.opponents.map(visibleLine).join(", ")),
  ]);
}
