// Loads data: from inside the page if it is a single file, else from the server or the files of a site.
import { h } from "./dom.js";

const inlined = JSON.parse(document.getElementById("data").textContent.trim() || "{}");

/** Whether this page is a file that holds one run, without a server. */
export const isSingleFile = inlined.single === true;
/** Whether nothing here changes any more: a single file, or a site that was published. */
export const isFinal = isSingleFile || inlined.published === true;
export const ONLY_RUN = "run";

const RESTART = "Is `molt-bench view` still running? Restart it, then reload.";

/** A failure to load data, explained for the reader. */
class LoadError extends Error {
  constructor(message, hint) {
    super(message);
    this.hint = hint;
  }
}

async function fetched(path) {
  let response;
  try {
    response = await fetch(path, { cache: "no-cache" });
  } catch {
    throw new LoadError("The server does not respond.", isFinal ? "" : RESTART);
  }
  if (response.status === 304) return null;
  if (response.ok) return response.json();
  throw new LoadError(response.status === 404 ? "Not found." : "This cannot be read.", await errorText(response));
}

async function errorText(response) {
  const text = await response.text();
  try {
    return JSON.parse(text).error ?? text.slice(0, 500);
  } catch {
    return text.slice(0, 500);
  }
}

const HAND = /^(.*)\/hand\/(\d+)\/(\d+\/\d+)\.json$/;

/** Return the data of a path. What is final has the hands of a match with it. */
export async function load(path) {
  const [, run, match, hand] = (isFinal && path.match(HAND)) || [];
  if (hand) {
    const found = (await loadOnce(`${run}/match/${match}.json`)).hands[hand];
    if (found) return found;
    throw new LoadError("Not found.", "A file or a site has a limited number of hands; this one is not among them.");
  }
  if (!isSingleFile) return fetched(path);
  if (Object.hasOwn(inlined, path)) return inlined[path];
  throw new LoadError("This file does not include that page.", "`molt-bench view` shows every hand of every run.");
}

/** A link to a hand, or its text alone if it is known that what is final does not include the hand. */
export function handLink([run, match, seed, hand], href, text, more = {}) {
  const hands = isFinal ? (isSingleFile ? inlined[matchPath(run, match)]?.hands : heldHands.get(match)) : null;
  return hands && !hands[`${seed}/${hand}`] ? h("span", more, text) : h("a", { href, ...more }, text);
}

const heldHands = new Map(); // match -> its hands, of a site

/** Return the page of a match. */
export async function loadMatch(run, match) {
  const found = await loadOnce(matchPath(run, match));
  if (found.hands) heldHands.set(found.match, found.hands);
  return found;
}

/** Return the data of a path if it is newer than the version, else null. */
export async function loadNewer(path, version) {
  return isFinal ? null : fetched(`${path}?since=${encodeURIComponent(version)}`);
}

const asPath = (...parts) => parts.map((part) => encodeURIComponent(part)).join("/");
export const runPath = (run) => `api/runs/${asPath(run)}.json`;
export const namesPath = (run) => `api/runs/${asPath(run)}/names.json`;
export const curvesPath = (run) => `api/runs/${asPath(run)}/curves.json`;
export const stylesPath = (run) => `api/runs/${asPath(run)}/styles.json`;
export const saidPath = (run) => `api/runs/${asPath(run)}/said.json`;
const matchPath = (run, match) => `api/runs/${asPath(run)}/match/${asPath(match)}.json`;
export const handsPath = (run) => `api/runs/${asPath(run)}/hands.json`;
export const handPath = (run, match, seed, hand) => `api/runs/${asPath(run)}/hand/${asPath(match, seed, hand)}.json`;

// The replayer needs the same names for every hand, and the hand list is large.
const kept = new Map();

/** Return what a path gives, from memory if it was loaded before; `read` turns the data into what is kept. */
export async function loadOnce(path, read = (data) => data) {
  if (!kept.has(path)) {
    if (kept.size > 6) kept.delete(kept.keys().next().value);
    const loading = load(path).then(read).catch((error) => {
      kept.delete(path);
      throw error;
    });
    kept.set(path, loading);
  }
  return kept.get(path);
}

/** Drop what is in memory of a run, because it has changed. */
export function forget(run) {
  for (const path of [...kept.keys()]) if (path.startsWith(`api/runs/${asPath(run)}`)) kept.delete(path);
}
