// The results of all agents over all runs as lines, what changed from run to run, and why something cannot be compared.
import { ends, extent, lineChart } from "./charts.js";
import { load } from "./data.js";
import { cast, h, number, numberHead, runName, th } from "./dom.js";
import { savedTable } from "./download.js";
import { crumbs, route } from "./router.js";
import { fixed, moment, plural, signed, signedTick, visibleLine } from "./text.js";

const WITHIN = "no difference that matters (25 bb/100)";
const VERDICTS = { worse: "▼ worse", better: "▲ better", within: WITHIN, unknown: "not known: too few hands" };
const UNCOMPARABLE = "cannot be compared";

/** A link to a run: what people call it, and its id where that is another. */
function runLink(run) {
  const id = visibleLine(run.id);
  return [h("a", { href: route("run", run.id) }, h("bdi", runName(run))), runName(run) !== id && h("small", id)];
}

/** A link to an agent: its latest name, and its id where that is another. */
function agentLink({ name: id, points }) {
  const shown = latestName(id, points);
  return [
    h("a.agent", { href: route("history", id), title: shown }, h("bdi", shown)),
    shown !== visibleLine(id) && h("small", visibleLine(id)),
  ];
}

const latestName = (id, points) => visibleLine(points.at(-1)?.name ?? id).trim() || visibleLine(id);

export async function historyPage(_place, view) {
  const { runs, agents, regressions } = await load("api/history.json");
  const title = h("h1", "History");
  if (!agents.length) return view.show("History", title, h("p.empty", "No run has a result yet."));
  view.show("History", [
    title,
    h("section.part", h("h2", "Results over all runs"), historyChart(runs, agents, regressions)),
    h("section.part", h("h2", "Changes from run to run"), changesTable(regressions, runs, agents)),
    h("section.part", h("h2", "Agents"), h("ul.agents", agents.map((agent) => h("li", agentLink(agent))))),
  ]);
}

/** A line for every agent; it is broken between two runs in which its opponents were not the same. */
function historyChart(runs, all, changes) {
  const place = new Map(runs.map(({ id }, index) => [id, index]));
  const again = all.filter(({ points }) => points.length > 1);
  const agents = again.length ? again : all;
  const shown = cast(agents.map(({ name, points }) => ({ id: name, name: latestName(name, points) })));
  const series = agents.map(({ name, points }) => {
    const byRun = new Map(points.map((point) => [point.run, point]));
    const own = changes.filter((one) => one.agent === name);
    return {
      name: shown.name(name),
      colour: shown.colour(name),
      dashed: shown.dashed(name),
      y: runs.map(({ id }) => byRun.get(id)?.bb100 ?? null),
      half: runs.map(({ id }) => byRun.get(id)?.halfWidth ?? null),
      joins: own.filter((one) => one.sameField).map((one) => [place.get(one.from), place.get(one.to)]),
    };
  });
  const isBroken = changes.some((one) => !one.sameField);
  const rest = all.length - agents.length;
  const about = [
    "Each point is an agent's bb/100 in one run, against all others in that run, ± the 95% interval. ",
    isBroken &&
    "A line joins two runs only where the game and the opponents were the same. ",
    rest > 0 && `${plural(rest, "agent")} played in one run only, and ${rest === 1 ? "is" : "are"} listed below.`,
  ];
  const chart = lineChart({
    label: "bb/100 from run to run, oldest run first",
    x: runs.map((_, index) => index + 1),
    xLabel: "runs",
    xName: (index) => runName(runs[index]),
    yLabel: "bb/100",
    series,
    format: (value) => signed(value),
    tickFormat: signedTick,
    zero: true,
    range: readable(series),
    height: 320,
  });
  return [h("p.soft", about), chart];
}

/** The range of a chart: all points, and as much of their intervals as leaves the points apart. */
function readable(series) {
  const points = series.flatMap(({ y }) => y.filter((value) => value !== null));
  const [low, high] = extent([0, ...points]);
  const room = (high - low) / 2;
  const edges = series.flatMap(({ y, half }) =>
    y.flatMap((value, at) => (value === null ? [] : ends(value, half[at])))
  );
  return extent([0, ...points, ...edges.map((edge) => Math.min(high + room, Math.max(low - room, edge)))]);
}

/** What became of an agent, in words; or why that cannot be said. */
function verdictCell({ verdict, why }) {
  const text = why ? UNCOMPARABLE : VERDICTS[verdict];
  const small = why && visibleLine(why);
  return h("td.wide", { class: why ? "reason" : `is-${verdict}` }, text, small && h("small", small));
}

function changesTable(changes, runs, agents) {
  if (!changes.length) return h("p.empty", "No agent has played in two runs.");
  const byId = new Map(runs.map((run) => [run.id, run]));
  const rows = changes.map((one) =>
    h("tr", [
      h("th", { scope: "row" }, agentLink(agents.find(({ name }) => name === one.agent))),
      h("td", runLink(byId.get(one.from))),
      h("td", runLink(byId.get(one.to))),
      h("td.number", signed(one.difference), one.halfWidth !== null && h("small", `± ${fixed(one.halfWidth)}`)),
      verdictCell(one),
    ])
  );
  const about =
    "The difference of two results against the same opponents, each with its own luck. molt-bench compare sees more: " +
    "it compares on the same cards where both runs have them. Each verdict by itself is 95% sure.";
  const head = [
    th("Agent"),
    th("From"),
    th("To"),
    numberHead("Change, bb/100"),
    th("Verdict"),
  ];
  return [h("p.soft", about), savedTable("Changes from run to run", head, rows)].flat();
}

export async function agentPage(place, view) {
  const name = place.parts[1];
  const data = await load("api/history.json");
  const agent = data.agents.find((one) => one.name === name);
  const shown = agent ? latestName(name, agent.points) : visibleLine(name);
  const top = [crumbs(["History", "#/history"], [shown, null]), h("h1", shown)];
  if (!agent) return view.show(shown, top, h("p.empty", "No run in this folder has an agent of this name."));
  const byId = new Map(data.runs.map((run) => [run.id, run]));
  const changes = data.regressions.filter((one) => one.agent === name);
  const changeTo = (point) => changes.find((one) => one.to === point.run);
  const nameOf = (id) => latestName(id, data.agents.find((one) => one.name === id)?.points ?? []);
  const hasCode = agent.points.some((point) => point.codeHash);
  const rows = agent.points.map((point, index) =>
    pointRow(point, index, agent.points[index - 1], changeTo(point), byId.get(point.run), { hasCode, nameOf })
  );
  const numbers = ["bb/100", "Rating"].map((text) => numberHead(text));
  const rest = [hasCode && "Code", "Against the previous run", "Opponents"].filter(Boolean).map((text) => th(text));
  const head = [numberHead("#"), th("Run"), th("Started"), numbers, rest];
  view.show(shown, [
    ...top,
    h("p.soft", `${plural(agent.points.length, "run")}.`),
    h("div", historyChart(data.runs.filter(({ id }) => agent.points.some(({ run }) => run === id)), [agent], changes)),
    h("section.part", h("h2", "Runs"), savedTable(`Runs of ${shown}`, head, rows)),
  ]);
}

function pointRow(point, index, previous, change, run, { hasCode, nameOf }) {
  const code = point.codeHash ? visibleLine(point.codeHash).slice(0, 10) : "";
  const isChanged = previous && previous.codeHash !== point.codeHash;
  return h("tr", [
    number(String(index + 1)),
    h("th", { scope: "row" }, runLink(run)),
    h("td", moment(point.started)),
    h(
      "td.number",
      h("span.strong", signed(point.bb100)),
      point.halfWidth !== null && h("small", `± ${fixed(point.halfWidth)}`),
    ),
    number(point.mu === null ? "–" : `${fixed(point.mu)} ± ${fixed(point.sigma)}`),
    hasCode && h("td", h("code", code), isChanged && h("span.note", "changed")),
    change ? verdictCell(change) : h("td", h("span.soft", "the first")),
    h("td.wide", point.opponents.map((id, at) => [at ? ", " : "", h("bdi", nameOf(id))])),
  ]);
}
