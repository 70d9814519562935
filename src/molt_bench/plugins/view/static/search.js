// Search in what the models of a run said, in the browser.
import { loadOnce, saidPath } from "./data.js";
import { h } from "./dom.js";
import { route, withQuery } from "./router.js";
import { plural, visible, visibleLine, whole } from "./text.js";

const LIMIT_MS = 10_000;
const AROUND = 80; // characters before and after a hit
const LISTED = 500; // hits that are listed

/**
 * Return where the models of a run said something: {problem, searched, total, hands, hits}.
 * A worker looks, and is ended when its time is up: a regular expression can take forever.
 */
export async function searched(run, query, isRegex) {
  const source = new Blob([`onmessage = ({ data }) => postMessage((${scan})(data));`], { type: "text/javascript" });
  const address = URL.createObjectURL(source);
  let worker = null;
  try {
    const texts = await loadOnce(saidPath(run));
    worker = new Worker(address);
    return await new Promise((done) => {
      const tooLong = `the search was stopped after ${LIMIT_MS / 1000} s: make the expression simpler`;
      setTimeout(() => done(nothing(tooLong)), LIMIT_MS);
      worker.onmessage = ({ data }) => done(data);
      worker.onerror = () => done(nothing("this browser cannot search here"));
      worker.postMessage({ texts, query, isRegex, most: LISTED, around: AROUND });
    });
  } catch (error) {
    return nothing(error.hint || error.message);
  } finally {
    worker?.terminate();
    URL.revokeObjectURL(address);
  }
}

function nothing(problem) {
  const hands = { match: [], seed: [], hand: [], seating: [] };
  return { problem, searched: 0, total: 0, hands, hits: [] };
}

/** Look through all texts. It runs in a worker, so it uses nothing from outside. */
function scan({ texts, query, isRegex, most, around }) {
  const found = { problem: null, searched: texts.length, total: 0, hits: [] };
  const hands = { match: [], seed: [], hand: [], seating: [] };
  let pattern;
  try {
    pattern = new RegExp(isRegex ? query : query.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"), "imu");
  } catch (error) {
    return { ...found, hands, problem: `not a regular expression: ${error.message.replace(/^.*\/\w*: /, "")}` };
  }
  if (pattern.test("")) {
    const problem = "this expression also matches no text at all, so it would find every reply";
    return { ...found, hands, problem };
  }
  const seen = new Set();
  for (const [match, seed, hand, seating, decision, attempt, agent, reasoning, reply] of texts) {
    for (const [where, text] of [["reasoning", reasoning], ["reply", reply]]) {
      const hit = text ? pattern.exec(text) : null;
      if (!hit) continue;
      found.total += 1;
      const key = [match, seed, hand, seating].join("/");
      if (!seen.has(key)) {
        seen.add(key);
        Object.entries({ match, seed, hand, seating }).forEach(([name, value]) => hands[name].push(value));
      }
      if (found.total <= most) {
        const end = hit.index + hit[0].length;
        const before = text.slice(Math.max(0, hit.index - around), hit.index);
        const after = text.slice(end, end + around);
        const place = { match, seed, hand, seating, decision, attempt, agent };
        found.hits.push({ ...place, where, before, hit: hit[0].slice(0, 200), after });
      }
      break;
    }
  }
  return { ...found, hands };
}

/** Return which hands of a list have a hit, as zeros and ones. */
export function hitsOf({ columns }, { hands }) {
  const keys = new Set(
    hands.match.map((match, at) => `${match}/${hands.seed[at]}/${hands.hand[at]}/${hands.seating[at]}`),
  );
  const { match, seed, hand, seating } = columns;
  const isHit = (at) => keys.has(`${match[at]}/${seed[at]}/${hand[at]}/${seating[at] === 1 ? "BA" : "AB"}`);
  return keys.size ? Uint8Array.from(match, (_, at) => (isHit(at) ? 1 : 0)) : new Uint8Array(match.length);
}

const cutMark = (text) => (text.length < AROUND ? "" : "…");

/** The hits with the texts around them, each linked to its decision; `list` is the list that the reader is in. */
export function hitPanel(run, agents, result, list) {
  if (result.problem) return h("p.warning", visibleLine(result.problem));
  const { total, hits, hands, searched: replies } = result;
  const title = total
    ? `${plural(total, "hit")} in ${plural(hands.match.length, "hand")}, of ${plural(replies, "reply", "replies")}`
    : `Nothing found in ${plural(replies, "reply", "replies")}`;
  const items = h("ol.hits", hits.map((hit) => hitItem(run, agents, hit, list)));
  const rest = total > hits.length && h("p.soft", `The first ${whole(hits.length)} are listed; all hands are below.`);
  const box = h("div.hits-box", { tabindex: "0", role: "group", "aria-label": "Hits" }, items, rest);
  return h("section.found", { "aria-label": "Search" }, h("h2", title), total > 0 && box);
}

function hitItem(run, agents, hit, list) {
  const { match, seed, hand, seating, decision, attempt, agent, where, before, hit: text, after } = hit;
  const query = { seating, decision, mark: text, in: where === "reply" ? "reply" : "", at: "said", list };
  const href = withQuery(route("run", run, "hand", match, seed, hand), query);
  const tried = attempt > 1 ? `, attempt ${attempt}` : "";
  return h("li", [
    h("a", { href }, `${match} · ${seed} · ${hand}`),
    h("small", `${seating}${tried}`),
    agents.label(agent),
    h("span.snippet", cutMark(before), visible(before), h("mark", visible(text)), visible(after), cutMark(after)),
  ]);
}

/** A field to search what the models said, if there are some: with Enter or on leaving it, not with every letter. */
export function searchField({ participants }, filters, update) {
  if (!participants.some(({ model }) => model)) return null;
  const start = () => {
    const [q, regex] = [input.value.trim(), box.checked ? "1" : ""];
    if (q === filters.q && (regex === filters.regex || q === "")) return;
    Object.assign(filters, { q, regex });
    update(true);
  };
  const input = h("input", {
    ...{ id: "filter-q", type: "search", size: "24", maxlength: "500", placeholder: "pot odds", autocomplete: "off" },
    on: { change: start, keydown: (event) => event.key === "Enter" && start() },
  });
  input.value = filters.q;
  const box = h("input", {
    id: "filter-regex",
    type: "checkbox",
    checked: filters.regex === "1",
    on: { change: start },
  });
  return [
    h("div.field", h("label", { for: "filter-q" }, "Said in reasoning or reply"), input),
    h("label.check", box, "Regular expression"),
  ];
}
