// Where data comes from: the object inside the page if it has the path, else the server the page came from.

const inlined = JSON.parse(document.getElementById("data").textContent.trim() || "{}");

/** Whether this page is a file that holds its one run, and no server is there. */
export const isSingleFile = Object.keys(inlined).length > 0;
export const limits = inlined.limits ?? null;
export const ONLY_RUN = "run";

/** What went wrong, in words for the reader. */
export class LoadError extends Error {
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
    throw new LoadError("The server does not answer.", "Is `molt-bench view` still running? The page can be reloaded when it is.");
  }
  if (response.status === 304) return null;
  if (response.status === 404) throw new LoadError("There is no such thing here.", await serverWord(response));
  if (!response.ok) throw new LoadError(`The server could not answer (status ${response.status}).`, await serverWord(response));
  return response.json();
}

async function serverWord(response) {
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
  if (isSingleFile) {
    throw new LoadError("This is not in the file.", "One file holds one run and only so many hands. `molt-bench view` shows every hand of every run.");
  }
  return fetched(path);
}

/** Whether a path can be asked for: always of a server, of a file only if it holds it. */
export function isHere(path) {
  return !isSingleFile || Object.hasOwn(inlined, path);
}

/** Return the data of a path if it is newer than the version, else null. */
export async function loadNewer(path, version) {
  return isSingleFile ? null : fetched(`${path}?since=${encodeURIComponent(version)}`);
}

const asPath = (...parts) => parts.map((part) => encodeURIComponent(part)).join("/");
export const runPath = (run) => `api/runs/${asPath(run)}.json`;
export const matchPath = (run, match) => `api/runs/${asPath(run)}/match/${asPath(match)}.json`;
export const handsPath = (run) => `api/runs/${asPath(run)}/hands.json`;
export const handPath = (run, match, seed, hand) => `api/runs/${asPath(run)}/hand/${asPath(match, seed, hand)}.json`;

// The replayer goes from hand to hand and needs the same names each time; the hand list is large.
const kept = new Map();

/** Return the data of a path, from memory if it was asked for before. */
export async function loadOnce(path) {
  if (!kept.has(path)) {
    if (kept.size > 6) kept.delete(kept.keys().next().value);
    kept.set(path, load(path).catch((error) => {
      kept.delete(path);
      throw error;
    }));
  }
  return kept.get(path);
}

/** Forget what is kept of a run: it has changed. */
export function forget(run) {
  for (const path of [...kept.keys()]) if (path.startsWith(`api/runs/${asPath(run)}`)) kept.delete(path);
}
