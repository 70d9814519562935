// All runs of the folder, newest first.
import { agentLabel } from "./agents.js";
import { isSingleFile, load } from "./data.js";
import { h, number, scrollTable, th } from "./dom.js";
import { route } from "./router.js";
import { dollars, fixed, moment, plural, signed, visibleLine, whole } from "./text.js";

const POLL_LIST_MS = 4000;

export function statusBadge(status) {
  return h("span.badge", { class: `is-${status}` }, visibleLine(status));
}

export async function runsPage(place, view) {
  let runs = await load("api/runs.json");
  const heading = h("h1", "Runs");
  const body = h("div");
  const draw = () => {
    const focused = body.contains(document.activeElement) ? [...body.querySelectorAll("a")].indexOf(document.activeElement) : -1;
    if (!runs.length) body.replaceChildren(noRuns());
    else body.replaceChildren(h("p.soft", `${plural(runs.length, "run")}, newest first.`), h("div.cards", runs.map(runCard)), runsTable(runs));
    body.querySelectorAll("a")[focused]?.focus({ preventScroll: true });
  };
  draw();
  view.show("Runs", heading, body);
  follow();

  // A run may begin at any time, so that this goes on; the list is drawn anew only when it says something new.
  async function follow() {
    while (!isSingleFile && !view.signal.aborted) {
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
  return h("div.empty", h("p", "There are no runs in this folder yet."), h("p", "Make one; it will appear here:"), h("pre", h("code", "molt-bench --participants tight,callstation,random")));
}

function runCard(run) {
  const leader = run.leaders[0];
  return h("article.card",
    h("h2", h("a", { href: route("run", run.id) }, visibleLine(run.id))),
    h("p.soft", statusBadge(run.status), " ", `${plural(run.hands, "hand")} in ${plural(run.matches, "match", "matches")}`,
      run.usd ? ` · ${dollars(run.usd)}` : "", run.faults ? ` · ${plural(run.faults, "fault")}` : ""),
    leader ? h("ol.leaders", run.leaders.slice(0, 4).map((one) => h("li", h("span.rank", rankText(one.rank)), agentLabel(one.name, run.participants.findIndex((p) => p.id === one.id)),
      h("span.number", rateText(one))))) : h("p.soft", "No result yet."),
    run.leaders.length > 4 && h("p.soft", `and ${run.leaders.length - 4} more`),
    run.stopReason && h("p.stop", visibleLine(run.stopReason)));
}

/** bb/100 with its interval, which it has once all opponents were met. */
export function rateText({ bb100, halfWidth }) {
  return halfWidth === null ? signed(bb100) : `${signed(bb100)} ± ${fixed(halfWidth)}`;
}

export function rankText(ranks) {
  if (!ranks) return "";
  const [low, high] = ranks;
  return low === high ? String(low) : `${low}–${high}`;
}

function runsTable(runs) {
  const rows = runs.map((run) => h("tr",
    h("th", { scope: "row" }, h("a", { href: route("run", run.id) }, visibleLine(run.id))),
    h("td", moment(run.started)), h("td", statusBadge(run.status)), number(whole(run.participants.length)), number(whole(run.matches)), number(whole(run.games)),
    number(whole(run.hands)), number(whole(run.faults)), number(dollars(run.usd)), h("td", visibleLine(run.version ?? "")), h("td", h("code", visibleLine(run.configHash ?? "").slice(0, 12)))));
  const head = [th("Run"), th("Started"), th("Status"), ...["Agents", "Matches", "Games", "Hands", "Faults", "Dollars"].map((text) => th(text, { class: "number" })), th("Version"), th("Config")];
  return h("section", h("h2", "As a table"), scrollTable("All runs", head, rows));
}
