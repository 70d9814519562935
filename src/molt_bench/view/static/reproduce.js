// Everything needed to get the same result, ready to copy.
import { copyButton, h } from "./dom.js";
import { visible, visibleLine } from "./text.js";

export function reproduceSection(run) {
  const given = run.reproduce;
  if (!given) return null;
  return [
    given.command && copyBlock("Play it again", given.command),
    given.verify && copyBlock("Check that every recorded game comes out the same", given.verify),
    given.configYaml && copyBlock("The config", given.configYaml),
    h("dl.facts", [["Master seed", given.masterSeed], ...Object.entries(given.versions ?? {})].filter(([, value]) => value !== null && value !== undefined)
      .map(([name, value]) => h("div", h("dt", visibleLine(name)), h("dd.code", visibleLine(value))))),
  ];
}

/** A block of text with a button that copies it. */
export function copyBlock(title, text) {
  return h("div.copyable", h("div.bar", h("h3", title), copyButton(text)), h("pre", { tabindex: "0", role: "region", "aria-label": title }, h("code", visible(text))));
}
