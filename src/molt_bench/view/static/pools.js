// Leaderboards over several runs of the same config, below the list of runs.
import { load } from "./data.js";
import { cast, h, runName } from "./dom.js";
import { tableButton } from "./download.js";
import { leaderboardSection } from "./leaderboard.js";
import { route } from "./router.js";
import { plural, visible } from "./text.js";

/** A box that fills itself: adding up runs takes a while. `refresh` does it again for newer runs. */
export function poolsBox(view, runs) {
  const box = h("div");
  let shown = "";
  box.refresh = async (now) => {
    const pools = await load("api/pools.json").catch(() => []);
    if (view.signal.aborted || JSON.stringify(pools) === shown) return;
    shown = JSON.stringify(pools);
    box.replaceChildren(
      ...pools.map((pool, index) => poolSection(pool, now, pools.length > 1 ? ` (${index + 1})` : "")),
    );
  };
  box.refresh(runs);
  return box;
}

/** One leaderboard; `mark` tells it from the others. */
function poolSection(pool, runs, mark) {
  const { leaderboard, rule, participants } = pool;
  const agents = cast(participants);
  const byId = new Map(runs.map((run) => [run.id, run]));
  const nameOf = (id) => runName(byId.get(id) ?? { id });
  const link = (id) => h("a", { href: route("run", id) }, h("bdi", nameOf(id)));
  const inIt = pool.runs.flatMap((id, at) => [at ? ", " : "", link(id)]);
  const board = leaderboardSection({ leaderboard, rule, sentences: [], counting: false }, agents, {
    run: null,
    open: {},
  });
  const isSum = pool.runs.length > 1;
  const title = isSum ? `${plural(pool.runs.length, "run")} of the same config together` : "Runs of the same config";
  const heading = h("h2", { id: `pool-${pool.runs[0]}` }, `${title}${mark}`);
  board[0].setAttribute("aria-label", `Leaderboard: ${title}${mark}`);
  const others = pool.leftOut.map(({ id, why }) => h("li", h("bdi", nameOf(id)), `: ${visible(why)}`));
  const reasons = h("ul.sentences", others);
  const about = { "aria-labelledby": heading.id };
  if (!isSum) {
    return h("section.part", about, heading, h("p.soft", "Nothing can be added to ", inIt, ":"), reasons);
  }
  const count = `${plural(others.length, "run")} ${others.length === 1 ? "is" : "are"}`;
  return h("section.part", about, [
    heading,
    h("p.soft", `${plural(pool.hands, "hand")} in `, inIt, ". Each deal counts once."),
    board,
    tableButton(() => board[0].querySelector("table"), `${title}${mark}`),
    others.length > 0 && h("details", h("summary", `Why ${count} not in it`), reasons),
  ]);
}
