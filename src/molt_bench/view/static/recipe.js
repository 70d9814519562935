// Everything needed to reproduce a run, ready to copy.
import { copyButton, h } from "./dom.js";
import { visible, visibleLine } from "./text.js";

export function recipeSection({ reproduce }) {
  const versions = [["Master seed", reproduce.masterSeed], ...Object.entries(reproduce.versions)];
  return [
    copyBlock("Run it again", reproduce.command),
    copyBlock("Check that every recorded game plays out the same", reproduce.verify),
    copyBlock("The config", reproduce.configYaml),
    h(
      "dl.facts",
      versions.map(([name, value]) => h("div", h("dt", visibleLine(name)), h("dd.code", visibleLine(value)))),
    ),
  ];
}

/** A block of text with a button that copies it. */
function copyBlock(title, text) {
  const block = h("pre", { tabindex: "0", role: "region", "aria-label": title }, h("code", visible(text)));
  return h("div.copyable", h("div.bar", h("h3", title), copyButton(() => text)), block);
}
