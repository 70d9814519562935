// Light, dark, or the system's setting; the choice is stored where the browser allows it.
import { h } from "./dom.js";

const THEMES = ["auto", "light", "dark"];

function stored() {
  try {
    return localStorage.getItem("molt-bench-theme");
  } catch {
    return null;
  }
}

function applyTheme(theme, toggle) {
  document.documentElement.dataset.theme = theme;
  toggle.replaceChildren(h("span.theme-word", "Theme: "), theme);
  toggle.setAttribute("aria-label", `Theme: ${theme}`);
}

export function startTheme(toggle) {
  let theme = THEMES.includes(stored()) ? stored() : "auto";
  applyTheme(theme, toggle);
  toggle.addEventListener("click", () => {
    theme = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length];
    applyTheme(theme, toggle);
    try {
      localStorage.setItem("molt-bench-theme", theme);
    } catch {
      // then it is not stored
    }
  });
}
