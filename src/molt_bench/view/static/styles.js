// How each agent plays, in the trackers' terms.
import { h, scrollTable, th } from "./dom.js";
import { fixed, signed, visibleLine, whole } from "./text.js";

export function stylesSection(run, agents) {
  const styles = (run.styles ?? []).filter((one) => one.stats?.length);
  if (!styles.length) return null;
  const keys = styles[0].stats.map((stat) => [stat.key, stat.label]);
  const rows = styles.map((one) => {
    const byKey = new Map(one.stats.map((stat) => [stat.key, stat]));
    return h("tr", h("th", { scope: "row" }, agents.label(one.id)), keys.map(([key]) => statCell(byKey.get(key))));
  });
  return [
    h("p.soft", "Each figure with the number of chances it is taken from."),
    scrollTable("Playing styles", [th("Agent"), ...keys.map(([, label]) => th(visibleLine(label), { class: "number" }))], rows, { class: "stats" }),
  ];
}

function statCell(stat) {
  if (!stat || stat.value === null || stat.value === undefined) return h("td.number.soft", "–");
  const shown = { share: `${fixed(stat.value * 100)}%`, bb100: signed(stat.value) }[stat.kind] ?? fixed(stat.value, 2);
  return h("td.number", shown, stat.of ? h("small", `of ${whole(stat.of)}`) : "");
}
