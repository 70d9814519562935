// Playing styles in the terms of poker trackers: of all hands, by position, and by opponent.
import { choice, facts, h, numberHead, row, scrollTable, th } from "./dom.js";
import { fixed, isMissing, signed, visibleLine, whole } from "./text.js";

const POSITIONS = [["button", "button"], ["bigBlind", "big blind"]];

/** Each view: its key, its name, and the rows of its table as [head, statistics]. */
function viewsOf({ styles, styleGroups }, agents) {
  const stats = styles[0].stats;
  const sums = (isIn) => added(stats, styleGroups.filter(isIn));
  const byPosition = styles.flatMap(({ id }) =>
    POSITIONS.map(([position, name]) => [
      [agents.label(id), h("small", name)],
      sums((one) => one.player === id && one.position === position),
    ])
  );
  const byOpponent = styles.map(({ id }) => {
    const opponents = styles.map((other) => other.id).filter((other) =>
      styleGroups.some((one) => one.player === id && one.opponent === other)
    );
    const rows = () =>
      opponents.map((opponent) => [
        agents.label(opponent),
        sums((one) => one.player === id && one.opponent === opponent),
      ]);
    return [`v ${id}`, `${agents.name(id)} against each opponent`, rows];
  });
  return [
    ["all", "All hands", () => styles.map((one) => [agents.label(one.id), one.stats])],
    ["position", "By position", () => byPosition],
    ...byOpponent,
  ];
}

/** Return the statistics of several groups of hands together: counts and chances are added up. */
function added(stats, groups) {
  return stats.map((stat, at) => {
    const count = groups.reduce((sum, one) => sum + one.counts[at], 0);
    const of = groups.reduce((sum, one) => sum + one.of[at], 0);
    const value = of ? (stat.kind === "bb100" ? 100 : 1) * (count / of) : null;
    return { ...stat, count, of, value };
  });
}

export function stylesSection(run, agents, state) {
  if (!run.leaderboard.length) return null;
  if (run.status === "running") return h("p.empty", "Styles are counted when the run has ended.");
  if (!run.styles) return h("p.empty", "Being counted …");
  const { styles } = run.styles;
  if (!styles.length) return null;
  const views = viewsOf(run.styles, agents);
  const box = h("div");
  const draw = () => {
    const [key, name, rowsOf] = views.find(([each]) => each === state.open.styles) ?? views[0];
    const head = styles[0].stats.map((stat) =>
      numberHead(words(visibleLine(stat.label)), { title: visibleLine(stat.about) })
    );
    const rows = rowsOf().map(([first, stats]) => row(first, stats.map(statCell)));
    const title = key === "all" ? "Playing styles" : `Playing styles: ${name}`;
    const first = th(key.startsWith("v ") ? "Against" : "Agent");
    box.replaceChildren(scrollTable(title, [first, head], rows, { class: "stats" }));
  };
  draw();
  const select = choice("styles-view", "Show ", views, state.open.styles ?? "all", (value) => {
    state.open.styles = value;
    draw();
  });
  const meanings = styles[0].stats.map((stat) => [visibleLine(stat.label), visibleLine(stat.about)]);
  return [
    h("p.field", select),
    box,
    h("details", h("summary", "What these figures mean"), facts(meanings, { class: "small meanings" })),
  ];
}

/** A text that breaks only between its words, not at a hyphen. */
const words = (text) => text.split(" ").map((word, at) => [at ? " " : "", h("span.word", word)]);

const AFTER_COUNT = { share: " of ", ratio: " per ", bb100: " hands" };

/** A figure with what it was counted from: how often, of how many chances. */
function statCell({ value, kind, count, of, label, about }) {
  const title = `${visibleLine(label)}. ${visibleLine(about)}.`;
  const chances = kind === "bb100"
    ? `${whole(of)}${AFTER_COUNT.bb100}`
    : `${whole(count)}${AFTER_COUNT[kind]}${whole(of)}`;
  const shown = isMissing(value)
    ? "–"
    : { share: `${fixed(value * 100)}%`, bb100: signed(value) }[kind] ?? fixed(value, 2);
  return h("td.number", { title, class: isMissing(value) ? "soft" : "" }, shown, h("small", chances));
}
