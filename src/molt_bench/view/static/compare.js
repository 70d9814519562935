// Two runs side by side: results, agents and settings, and why something cannot be compared.
import { comparePath, isFinal, load } from "./data.js";
import { cast, copyBlock, h, number, numberHead, row, scrollTable, th } from "./dom.js";
import { savedTable } from "./download.js";
import { runLink, verdictCell } from "./history.js";
import { crumbs, route } from "./router.js";
import { fixed, moment, NONE, plural, signed, visible, visibleLine } from "./text.js";

export async function comparePage(place, view) {
  const [, old, fresh] = place.parts;
  const found = await load(comparePath(old, fresh));
  view.show(
    "Two runs side by side",
    [
      crumbs(["Runs", "#/"], ["Side by side", null]),
      h("h1", "Two runs side by side"),
      bothRuns(found.runs),
      h("p", h("a", { href: route("compare", fresh, old) }, "The other way round")),
      found.why && h("p.warning", h("strong", "Not comparable: "), visible(found.why)),
      h("section.part", h("h2", "Results"), bothResults(found)),
      h("section.part", h("h2", "Agents"), agentsTable(found)),
      h("section.part", h("h2", "Settings"), settingsTable(found)),
      found.command && h("section.part", [
        h("h2", "In a terminal"),
        isFinal && h("p.soft", "This works in a folder that holds the folders of both runs."),
        copyBlock("Compare them", found.command),
      ]),
    ].flat(),
  );
}

const RUN_NAMES = ["Run A", "Run B"];

function bothRuns(runs) {
  const rows = runs.map((run, at) =>
    row(RUN_NAMES[at], [
      h("td.wide", runLink(run)),
      h("td", moment(run.started)),
      h("td", run.finished ? "finished" : "not finished"),
    ])
  );
  return scrollTable("The two runs", [th("Here"), th("Run"), th("Started"), th("Status")], rows);
}

const result = (point) => (point && point.bb100 !== null ? withHalf(signed(point.bb100), point.halfWidth) : [NONE]);
const withHalf = (text, half) => [text, half !== null && h("small", `± ${fixed(half)}`)];

function bothResults({ agents, changes, warnings }) {
  const byAgent = new Map(changes.map((change) => [change.agent, change]));
  const shown = cast(agents);
  const rows = agents.map(({ id, old, new: fresh, in: isIn }) => {
    const change = byAgent.get(id);
    const why = isIn.indexOf(false) >= 0 && `only in ${RUN_NAMES[isIn.indexOf(true)]}`;
    return row(shown.label(id), [
      number(result(old)),
      number(result(fresh)),
      number(change && change.difference !== null ? withHalf(signed(change.difference), change.halfWidth) : NONE),
      change ? verdictCell(change, basis(change)) : h("td", h("span.soft", why)),
    ]);
  });
  const numbers = [...RUN_NAMES.map((name) => `bb/100 in ${name}`), "Change from A to B"].map((text) =>
    numberHead(text)
  );
  const about =
    "bb/100 in a run is against everybody in that run, with its 95% interval. The change is measured against the " +
    "opponents that are the same in both runs, on the same cards where both have them; so it need not be the " +
    "difference of the two. Each verdict by itself is 95% sure.";
  return [
    h("p.soft", about),
    savedTable("Results", [th("Agent"), numbers, th("Verdict")], rows),
    warnings.length > 0 &&
    h("details", h("summary", "What to know about these changes"), h("ul.sentences", warnings.map(warning))),
  ];
}

const warning = (text) => h("li", visible(text));

/** What a change is based on. */
function basis({ paired, seedPairs, opponents }) {
  if (!seedPairs.length) return "";
  const deals = seedPairs.map((count) => plural(count, "seed pair")).join(" and ");
  const cards = paired ? "the same cards" : "different cards";
  return `${plural(opponents.length, "opponent")}, ${deals}, ${cards}`;
}

function agentsTable({ agents }) {
  const shown = cast(agents);
  const rows = agents.map(({ id, in: isIn, changed }) => {
    const said = isIn.every(Boolean)
      ? changed.length ? `not the same: ${changed.map(visibleLine).join(", ")}` : "the same in both"
      : `only in ${RUN_NAMES[isIn.indexOf(true)]}`;
    return row(shown.label(id), h("td", visibleLine(id)), h("td.wide", { class: changed.length ? "bad" : "" }, said));
  });
  return savedTable("Agents", [th("Agent"), th("Id"), th("In both runs")], rows);
}

function settingsTable({ settings }) {
  if (!settings.length) return h("p.soft", "All settings are the same.");
  const cell = (text) => h("td.wide", text === null ? h("span.soft", "not set") : h("code", visibleLine(text)));
  const rows = settings.map(({ key, old, new: fresh }) => row(h("code", visibleLine(key)), cell(old), cell(fresh)));
  return savedTable("Settings that differ", [th("Setting"), RUN_NAMES.map((name) => th(name))], rows);
}
