// The frame: picks the page to show, handles loading and errors, and switches the theme.
import { isSingleFile, ONLY_RUN } from "./data.js";
import { announce, h } from "./dom.js";
import { handsPage } from "./hands.js";
import { agentPage, historyPage } from "./history.js";
import { matchPage } from "./matchpage.js";
import { replayerPage } from "./replayer.js";
import { parseHash, route } from "./router.js";
import { runPage } from "./runpage.js";
import { runsPage } from "./runs.js";
import { visible } from "./text.js";

const main = document.getElementById("main");
let current = null; // {path, leave, onQuery}
let followed = false; // whether the reader followed a link; going back restores the old scroll position
const scrolled = new Map();
const LOADING_MS = 400;

/** Return the page function of a route, or null. */
function pageOf(parts) {
  const [area, run, part] = parts;
  if (!parts.length && isSingleFile) return (place, view) => runPage({ ...place, parts: ["run", ONLY_RUN] }, view);
  if (!parts.length) return runsPage;
  if (area === "run" && parts.length === 2) return runPage;
  if (area === "run" && run && part === "match" && parts.length === 4) return matchPage;
  if (area === "run" && run && part === "hands" && parts.length === 3) return handsPage;
  if (area === "run" && run && part === "hand" && parts.length === 6) return replayerPage;
  if (area === "history") return parts.length === 1 ? historyPage : agentPage;
  return null;
}

async function show() {
  const place = parseHash(location.hash);
  if (current?.path === place.path && current.onQuery) {
    followed = false;
    return current.onQuery(place.query);
  }
  current?.leave.abort();
  const leave = new AbortController();
  const root = h("div.page", { "aria-busy": "true" }, h("p.loading", "Loading …"));
  const view = {
    root,
    signal: leave.signal,
    /** Put the page on the screen. */
    show(title, ...children) {
      if (leave.signal.aborted) return;
      document.title = `${title} · molt-bench`;
      root.replaceChildren(...children.flat().filter(Boolean));
      root.removeAttribute("aria-busy");
      enter();
    },
    onQuery(act) {
      mine.onQuery = act;
    },
  };
  const mine = { path: place.path, leave, onQuery: null };
  const first = current === null;
  current = mine;
  const back = followed ? 0 : (scrolled.get(location.hash) ?? 0);
  followed = false;
  // The previous page stays until this one is ready, so nothing flickers, unless that takes long.
  const enter = () => leave.signal.aborted || root.isConnected || main.replaceChildren(root);
  if (first) enter();
  else setTimeout(enter, LOADING_MS);
  drawNav(place.parts);
  const page = pageOf(place.parts);
  try {
    if (!page) throw new Error("There is no such page.");
    await page(place, view);
  } catch (error) {
    if (leave.signal.aborted) return;
    view.show("Not shown", failure(error));
  }
  if (leave.signal.aborted) return;
  if (!place.query.has("at")) window.scrollTo(0, back);
  if (!first) focusHeading(root.querySelector("h1"));
}

/** Focus a heading: this is where a screen reader starts. */
function focusHeading(heading) {
  heading?.setAttribute("tabindex", "-1");
  heading?.focus({ preventScroll: true });
}

function failure(error) {
  announce(error.message);
  return h("div.failure", { role: "alert" }, [
    h("h1", "This page cannot be shown"),
    h("p", visible(error.message)),
    error.hint && h("p.soft", visible(error.hint)),
    h("p", h("a", { href: "#/" }, isSingleFile ? "Back to the run" : "Back to all runs")),
  ]);
}

function drawNav(parts) {
  const inHistory = parts[0] === "history";
  const ofFile = [["Run", "#/", parts.length < 3], ["Hands", route("run", ONLY_RUN, "hands"), parts[2] === "hands"]];
  const links = isSingleFile ? ofFile : [["Runs", "#/", !inHistory], ["History", "#/history", inHistory]];
  const made = links.map(([text, href, here]) => h("a", { href, "aria-current": here ? "page" : null }, text));
  document.getElementById("nav").replaceChildren(...made);
}

const THEMES = ["auto", "light", "dark"];

/** Switch between light, dark and the system's setting; the choice is stored where the browser allows it. */
function startTheme(toggle) {
  const apply = (theme) => {
    document.documentElement.dataset.theme = theme;
    toggle.replaceChildren(h("span.theme-word", "Theme: "), theme);
    toggle.setAttribute("aria-label", `Theme: ${theme}`);
  };
  const stored = attempt(() => localStorage.getItem("molt-bench-theme"));
  let theme = THEMES.includes(stored) ? stored : "auto";
  apply(theme);
  toggle.addEventListener("click", () => {
    theme = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length];
    apply(theme);
    attempt(() => localStorage.setItem("molt-bench-theme", theme));
  });
}

/** Return what a function returns, or null if the browser forbids it. */
function attempt(act) {
  try {
    return act();
  } catch {
    return null;
  }
}

show(); // first of all, so that its data is under way
startTheme(document.getElementById("theme"));
document.getElementById("skip").addEventListener("click", () => (main.querySelector("h1") ?? main).focus());
document.addEventListener("click", (event) => {
  if (event.target.closest?.("a[href^='#']")) followed = true;
});
history.scrollRestoration = "manual";
window.addEventListener("scroll", () => scrolled.set(location.hash, window.scrollY), { passive: true });
window.addEventListener("hashchange", show);
