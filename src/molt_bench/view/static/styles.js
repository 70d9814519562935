// How each agent plays, in the terms of poker trackers.
import { h, numberHead, row, scrollTable, th } from "./dom.js";
import { fixed, isMissing, signed, visibleLine, whole } from "./text.js";

export function stylesSection({ styles }, agents) {
  if (!styles.length) return null;
  const head = styles[0].stats.map((stat) => numberHead(visibleLine(stat.label)));
  const rows = styles.map(({ id, stats }) => row(agents.label(id), stats.map(statCell)));
  return [
    h("p.soft", "Each figure is shown with the number of opportunities it is based on."),
    scrollTable("Playing styles", [th("Agent"), head], rows, { class: "stats" }),
  ];
}

function statCell({ value, kind, of }) {
  if (isMissing(value)) return h("td.number.soft", "–");
  const shown = { share: `${fixed(value * 100)}%`, bb100: signed(value) }[kind] ?? fixed(value, 2);
  return h("td.number", shown, of ? h("small", `of ${whole(of)}`) : "");
}
