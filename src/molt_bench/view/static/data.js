// Loads data: from inside the page if it is a single file, else from the server.
import { h } from "./dom.js";

const inlined = JSON.parse(document.getElementById("data").textContent.trim() || "{}");

/** Whether this page is a file that holds one run, without a server. */
export const isSingleFile = Object.hasOwn(inlined, "api/runs.json");
/** Whether nothing here changes any more: a single file, or a site that was published. */
export const isFinal = isSingleFile || inlined.published === true;
/** What a single file leaves out: {text}, or null. */
export const limits = inlined.limits ?? null;
export const ONLY_RUN = "run";

const RESTART = "Is `molt-bench view` still running? Restart it, then reload.";

/** A failure to load data, explained for the reader. */
class LoadError extends Error {
  constructor(message, hint) {
    super(message);
    this.hint = hint;
  }
}

const BYTES = "application/octet-stream";
const ASKED = { cache: "no-cache", headers: { accept: `${BYTES}, application/json` } };

async function fetched(path) {
  let response;
  try {
    response = await fetch(path, ASKED);
  } catch {
    throw new LoadError("The server does not respond.", isFinal ? "" : RESTART);
  }
  if (response.status === 304) return null;
  if (response.status === 404) throw new LoadError("Not found.", await errorText(response));
  if (!response.ok) throw new LoadError("This cannot be read.", await errorText(response));
  const isBytes = response.headers.get("content-type") === BYTES;
  return isBytes ? unpacked(await response.arrayBuffer()) : response.json();
}

const ARRAYS = { uint8: Uint8Array, int16: Int16Array, int32: Int32Array, float64: Float64Array };

/** Read bytes that begin with the length of a JSON text; after the text come the columns that it names. */
function unpacked(buffer) {
  const start = 4 + new DataView(buffer).getUint32(0, true);
  const { columns, ...data } = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, start - 4)));
  const read = ([kind, offset, length]) => new ARRAYS[kind](buffer, start + offset, length);
  return { ...data, columns: Object.fromEntries(Object.entries(columns).map(([name, at]) => [name, read(at)])) };
}

async function errorText(response) {
  const text = await response.text();
  try {
    return JSON.parse(text).error ?? text.slice(0, 500);
  } catch {
    return text.slice(0, 500);
  }
}

/** Return the data of a path. */
export async function load(path) {
  if (Object.hasOwn(inlined, path)) return inlined[path];
  if (inlined.published) return published(path);
  if (!isSingleFile) return fetched(path);
  const hint =
    "A single file holds one run and a limited number of hands. `molt-bench view` shows every hand of every run.";
  throw new LoadError("This file does not include that page.", hint);
}

const PACKED = /^(api\/runs\/[^/]+)\/(?:(match|lines)\/(\d+)|hand\/(\d+)\/(\d+\/\d+))\.json$/;

/** Return the data of a path from the files of a site: hands are packed by match. */
async function published(path) {
  const [, run, name, ofMatch, ofHand, hand] = path.match(PACKED) ?? [];
  if (!run) return fetched(path);
  const [match, wanted] = [ofMatch ?? ofHand, name ?? hand];
  const pieces = (await loadOnce(`${run}/packs.json`))[match] ?? [];
  const found = pieces.find(([, , names]) => names.includes(wanted));
  if (!found) throw new LoadError("Not found.", "This site does not hold that page.");
  return (await piece(`${run}/match-${match}.pack`, found))[wanted];
}

let lastPiece = { key: null, pages: null }; // the hand before and the next one are mostly in the same

/** Return the pages in a piece of a file; a host that does not know ranges sends all of it. */
async function piece(path, [offset, length]) {
  const key = `${path} ${offset}`;
  if (lastPiece.key === key) return lastPiece.pages;
  const headers = { range: `bytes=${offset}-${offset + length - 1}` };
  const response = await fetch(path, { headers }).catch(() => null);
  if (!response?.ok) {
    throw new LoadError("This cannot be read.", "The site is not complete, or its host does not respond.");
  }
  const bytes = new Uint8Array(await response.arrayBuffer());
  const own = response.status === 206 ? bytes : bytes.subarray(offset, offset + length);
  const unpacked = new Response(new Blob([own]).stream().pipeThrough(new DecompressionStream("gzip")));
  lastPiece = { key, pages: await unpacked.json() };
  return lastPiece.pages;
}

/** Whether a path can be loaded: always from a server, from a file only if it is inside. */
export function isHere(path) {
  return !isSingleFile || Object.hasOwn(inlined, path);
}

/** Return the pages of hands that a single file holds. */
export function heldHands() {
  const paths = Object.keys(inlined).filter((path) => path.startsWith(`api/runs/${ONLY_RUN}/hand/`));
  return paths.map((path) => inlined[path]);
}

/** A link to a hand, or its text alone if a single file does not include the hand. */
export function handLink(hand, href, text, more = {}) {
  return isHere(handPath(...hand)) ? h("a", { href, ...more }, text) : h("span", more, text);
}

/** Return the data of a path if it is newer than the version, else null. */
export async function loadNewer(path, version) {
  return isFinal ? null : fetched(`${path}?since=${encodeURIComponent(version)}`);
}

const asPath = (...parts) => parts.map((part) => encodeURIComponent(part)).join("/");
export const runPath = (run) => `api/runs/${asPath(run)}.json`;
export const namesPath = (run) => `api/runs/${asPath(run)}/names.json`;
export const saidPath = (run) => `api/runs/${asPath(run)}/said.json`;
export const searchPath = (run, query) => `api/runs/${asPath(run)}/search.json?${new URLSearchParams(query)}`;
export const matchPath = (run, match) => `api/runs/${asPath(run)}/match/${asPath(match)}.json`;
export const linesPath = (run, match) => `api/runs/${asPath(run)}/lines/${asPath(match)}.json`;
export const handsPath = (run) => `api/runs/${asPath(run)}/hands.json`;
export const handPath = (run, match, seed, hand) => `api/runs/${asPath(run)}/hand/${asPath(match, seed, hand)}.json`;

// The replayer needs the same names for every hand, and the hand list is large.
const kept = new Map();

/** Return the data of a path, from memory if it was loaded before. */
export async function loadOnce(path) {
  if (!kept.has(path)) {
    if (kept.size > 6) kept.delete(kept.keys().next().value);
    const loading = load(path).catch((error) => {
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
