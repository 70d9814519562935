// All runs of the folder, newest first.
import { load } from "./data.js";
import { agentLabel, h, number, numberHead, redraw, row, scrollTable, th } from "./dom.js";
import { route } from "./router.js";
import { dollars, fixed, moment, plural, signed, visibleLine, whole } from "./text.js";

const POLL_LIST_MS = 4000;

export function statusBadge(status) {
  return h("span.badge", { class: `is-${status}` }, visibleLine(status));
}

export async function runsPage(_place, view) {
  let runs = await load("api/runs.json");
  const body = h("div");
  const draw = () => {
    const about = h("p.soft", `${plural(runs.length, "run")}, newest first.`);
    const shown = runs.length ? [about, h("div.cards", runs.map(runCard)), runsTable(runs)] : [noRuns()];
    redraw(body, "a", ...shown);
  };
  draw();
  view.show("Runs", h("h1", "Runs"), body);
  follow();

  // A run may start at any time, so this never stops; the list is redrawn only when it has changed.
  async function follow() {
    while (!view.signal.aborted) {
      await new Promise((done) => setTimeout(done, POLL_LIST_MS));
      if (view.signal.aborted || document.hidden) continue;
      const newer = await load("api/runs.json").catch(() => null);
      if (view.signal.aborted || !newer || JSON.stringify(newer) === JSON.stringify(runs)) continue;
      runs = newer;
      draw();
    }
  }
}

function noRuns() {
  return h("div.empty", [
    h("p", "There are no runs in this folder yet."),
    h("p", "Start one, and it will appear here:"),
    h("pre", h("code", "molt-bench --participants tight,callstation,random")),
  ]);
}

const runLink = (run) => h("a", { href: route("run", run.id) }, visibleLine(run.id));

function runCard(run) {
  const { leaders } = run;
  const played = `${plural(run.hands, "hand")} in ${plural(run.matches, "match", "matches")}`;
  const extras = [run.usd ? ` · ${dollars(run.usd)}` : "", run.faults ? ` · ${plural(run.faults, "fault")}` : ""];
  const places = leaders.slice(0, 4).map((one) => {
    const label = agentLabel(one.name, run.participants.findIndex(({ id }) => id === one.id));
    return h("li", h("span.rank", rankText(one.rank)), label, h("span.number", rateText(one)));
  });
  return h("article.card", [
    h("h2", runLink(run)),
    h("p.soft", statusBadge(run.status), " ", played, extras),
    leaders.length ? h("ol.leaders", places) : h("p.soft", "No result yet."),
    leaders.length > 4 && h("p.soft", `and ${leaders.length - 4} more`),
    run.stopReason && h("p.stop", visibleLine(run.stopReason)),
  ]);
}

/** bb/100 with its interval, which is known once an agent has met all opponents. */
function rateText({ bb100, halfWidth }) {
  return halfWidth === null ? signed(bb100) : `${signed(bb100)} ± ${fixed(halfWidth)}`;
}

export function rankText(ranks) {
  if (!ranks) return "";
  const [low, high] = ranks;
  return low === high ? String(low) : `${low}–${high}`;
}

function runsTable(runs) {
  const rows = runs.map((run) =>
    row(runLink(run), [
      h("td", moment(run.started)),
      h("td", statusBadge(run.status)),
      [run.participants.length, run.matches, run.games, run.hands, run.faults].map((count) => number(whole(count))),
      number(dollars(run.usd)),
      h("td", visibleLine(run.version)),
      h("td", h("code", visibleLine(run.configHash).slice(0, 12))),
    ])
  );
  const counts = ["Agents", "Matches", "Games", "Hands", "Faults", "Dollars"].map((text) => numberHead(text));
  const head = [th("Run"), th("Started"), th("Status"), counts, th("Version"), th("Config")];
  return h("section", h("h2", "As a table"), scrollTable("All runs", head, rows));
}
