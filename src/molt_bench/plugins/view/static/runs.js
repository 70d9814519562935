// All runs of the folder, newest first.
import { isFinal, load } from "./data.js";
import { cast, h, number, numberHead, redraw, row, runName, scrollTable, th } from "./dom.js";
import { route } from "./router.js";
import { tableButton } from "./download.js";
import { dollars, fixed, isMissing, moment, plural, rankText, signed, visible, visibleLine, whole } from "./text.js";

const POLL_LIST_MS = 4000;

export function statusBadge(status) {
  return h("span.badge", { class: `is-${status}` }, visibleLine(status));
}

export async function runsPage(_place, view) {
  let runs = await load("api/runs.json");
  const body = h("div");
  const draw = () => {
    const about = h("p.soft", `${plural(runs.length, "run")}, newest first.`);
    const cards = h("div.cards", runs.map(runCard));
    redraw(body, "a", ...(runs.length ? [about, cards, runsTable(runs)] : [noRuns()]));
  };
  draw();
  view.show("Runs", h("h1", "Runs"), body);
  if (!isFinal) follow();

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

const isReadable = (run) => run.status !== "unreadable";
const cardLink = (run) => h("a", { href: route("run", run.id) }, h("bdi", runName(run)));

/** A run: its name and its verdict first. */
function runCard(run) {
  const { leaders } = run;
  const played = isMissing(run.hands) ? "" : `${plural(run.hands, "hand")}${matchesOf(run)}`;
  const extras = [run.usd ? ` · ${dollars(run.usd)}` : "", run.faults ? ` · ${plural(run.faults, "fault")}` : ""];
  const agents = cast(run.participants);
  const most = leaders.length === 5 ? 5 : 4;
  const places = leaders.slice(0, most).map((one) => {
    return h(
      "li",
      h("span.rank", rankText(one.ranks)),
      agents.label(one.id),
      h("span.number", rateText(one, run.method)),
    );
  });
  return h("article.card", [
    h("h2", cardLink(run)),
    h("p", { class: run.headline ? "verdict-line" : "soft" }, visible(run.headline ?? verdictOf(run))),
    leaders.length > 0 && h("ol.leaders", places),
    leaders.length > most && h("p.soft", `and ${leaders.length - most} more`),
    h("p.soft", statusBadge(run.status), " ", played, extras),
    run.stopReason && h("p.stop", visible(run.stopReason)),
  ]);
}

/** What is said of a run without a verdict. */
function verdictOf({ status, participants }) {
  if (status === "running") {
    return participants.length ? "In progress: open it to follow." : "In progress, with live agents.";
  }
  if (status === "interrupted") return "Interrupted; molt-bench report writes what it has so far, resume goes on.";
  return status === "unreadable" ? "" : "No result yet.";
}

/** How many matches are rated; hands of a match that is not finished are not counted. */
function matchesOf({ matches }) {
  return isMissing(matches) ? "" : ` in ${plural(matches, "match", "matches")}`;
}

/** What the order is by: the rating, or bb/100 with its interval, known once an agent has met all opponents. */
function rateText({ bb100, halfWidth, mu, sigma }, method) {
  if (method === "openskill") return `mu ${fixed(mu)} ± ${fixed(sigma)}`;
  return !halfWidth ? signed(bb100) : `${signed(bb100)} ± ${fixed(halfWidth)}`;
}

function runsTable(runs) {
  const rows = runs.map((run) =>
    row(cardLink(run), [
      h("td", moment(run.started)),
      h("td", statusBadge(run.status)),
      [isReadable(run) ? run.participants.length : null, run.matches, run.games, run.hands, run.faults].map((count) =>
        number(whole(count))
      ),
      number(dollars(run.usd)),
      h("td", visibleLine(run.version)),
      h("td", h("code", visibleLine(run.configHash).slice(0, 12))),
    ])
  );
  const counts = ["Agents", "Matches", "Games", "Hands", "Faults", "Dollars"].map((text) => numberHead(text));
  const head = [th("Run"), th("Started"), th("Status"), counts, th("Version"), th("Config")];
  const table = scrollTable("All runs", head, rows);
  const save = tableButton(() => table.querySelector("table"), "All runs");
  return h("section.part", h("h2", "As a table"), table, save);
}
