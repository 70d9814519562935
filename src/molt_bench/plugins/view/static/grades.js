// Grades of decisions: what the reference would do and what each action is worth, and the grades of a run.
import { handLink } from "./data.js";
import { h, number, numberHead, row, scrollTable, th } from "./dom.js";
import { route, withQuery } from "./router.js";
import { fixed, isMissing, NONE, signed, visibleLine, whole } from "./text.js";

/** A loss of this many big blinds is marked in the list of steps. */
export const MISTAKE_BB = 0.1;

/** An action in words; the first chips that go in on a street are a bet. */
function optionName({ action, amount }, isBet) {
  return action === "raiseTo" ? `${isBet ? "bet" : "raise to"} ${whole(amount)}` : action;
}

/** Whether there was no bet when the seat of a step acts. */
const opensBetting = (step) => step !== null && step.seat !== null && step.bets[1 - step.seat] === 0;

/** Whether an action of a mix is what was done at a step. */
const isDoneAt = (option, { action, amount }) =>
  option.action === action && (action !== "raiseTo" || option.amount === amount);

/** An action of a mix as a bar, with its share, some notes and more figures. */
function mixRow(option, { isDone, isBet }, notes, ...figures) {
  const marks = notes.filter(Boolean).map((note) => h("span.note", note));
  return h("div.mix-row", { class: isDone ? "done" : "", role: "listitem" }, [
    h("span.mix-name", optionName(option, isBet), marks),
    h("span.track", { "aria-hidden": "true" }, h("span.slice", { css: { width: `${option.chance * 100}%` } })),
    [`${fixed(option.chance * 100, 0)}%`, ...figures].map((figure) => h("span.share", figure)),
  ]);
}

/** The strategy that a model stated as bars, and which of its actions the bench drew; `step` is null if none was. */
export function strategyPanel(strategy, step) {
  if (!strategy) return null;
  const rows = strategy.map(({ kind, amount, percent }) => {
    const option = { action: kind, amount, chance: percent / 100 };
    const isDone = step !== null && isDoneAt(option, step);
    return mixRow(option, { isDone, isBet: opensBetting(step) }, [isDone && "drawn"]);
  });
  return h("div.mix", [
    h("p.soft", "The strategy that the model stated; the bench draws from it:"),
    h("div", { role: "list", "aria-label": "The stated strategy" }, rows),
  ]);
}

/** The mix of the reference at a decision as bars, with the value of each action, and the grade of what was done. */
export function gradePanel(grade, step) {
  if (!grade) return null;
  const rows = grade.options.map((option) => {
    const isDone = isDoneAt(option, step);
    const look = { isDone, isBet: opensBetting(step) };
    return mixRow(option, look, [isDone && "done", option.best && "best"], `${signed(option.value, 2)} bb`);
  });
  const offered = grade.options.some((one) => isDoneAt(one, step));
  const own = offered ? "" : ` What was done is worth ${signed(grade.value, 2)} bb.`;
  const said = grade.loss > 0
    ? `Gives away ${fixed(grade.loss, 2)} bb: ${visibleLine(grade.mistake)}.`
    : "Nothing is better by these values.";
  return h("div.mix", [
    h(
      "p.soft",
      "What the reference bot, blueprint, would do with these cards, and what each action is worth in the whole hand:",
    ),
    h("div", { role: "list", "aria-label": "The reference's mix" }, rows),
    h("p", { class: grade.loss >= MISTAKE_BB ? "bad" : "" }, h("strong", said), own),
  ]);
}

const FIGURES =
  " mbb: thousandths of a big blind. Above the reference: less what blueprint itself gives away at the same " +
  `decisions, since its values are inexact. Mistakes: decisions that give away ${MISTAKE_BB * 1000} mbb or more.`;

/** The grades of a run, beside what each won. */
export function gradesSection(run, agents, state) {
  const { grades } = run;
  if (!grades?.rows.length) return null;
  const byLoss = [...grades.rows].sort((one, other) => one.lossMbb - other.lossMbb); // as molt-bench grade prints them
  const won = new Map(run.leaderboard.map(({ id, bb100 }) => [id, bb100]));
  const columns = [
    "mbb lost per decision",
    "Above the reference",
    "bb lost per 100 hands",
    "Mistakes",
    "Decisions",
    "bb/100 won",
  ];
  const rows = byLoss.map((one) =>
    row(agents.label(one.id), [
      number(fixed(one.lossMbb, 0)),
      h(
        "td.number",
        signed(one.aboveMbb, 0),
        h("small", isMissing(one.halfWidth) ? "" : `± ${fixed(one.halfWidth, 0)}`),
      ),
      number(fixed(one.lossBb100)),
      [one.mistakes, one.decisions].map((count) => number(whole(count))),
      number(signed(won.get(one.id))),
    ])
  );
  const parts = [...grades.streets, ...grades.kinds].map((text) => numberHead(visibleLine(text)));
  const byPart = byLoss.map((one) =>
    row(agents.label(one.id), [...one.byStreet, ...one.byKind].map((loss) => number(fixed(loss))))
  );
  const old = grades.games < grades.of &&
    h("p.warning", `Graded after ${whole(grades.games)} of ${whole(grades.of)} games: run molt-bench grade again.`);
  return [
    h("p.soft", visibleLine(grades.note), FIGURES),
    old,
    scrollTable("Grades", [th("Agent"), columns.map((text) => numberHead(text))], rows),
    h("h3.apart", "bb lost per 100 hands, by street and by kind of mistake"),
    scrollTable("Grades by street and kind", [th("Agent"), parts], byPart, { class: "stats" }),
    costliest(grades.rows, agents, state),
  ];
}

function costliest(found, agents, state) {
  const all = found.flatMap(({ id, costliest }) => costliest.map((one) => ({ ...one, id })));
  if (!all.length) return null;
  const rows = all.sort((one, other) => other.lossMbb - one.lossMbb).map((one) => {
    const hand = route("run", state.run, "hand", one.match, one.seedIndex, one.hand);
    const href = withQuery(hand, { seating: one.seating, decision: one.decision });
    const texts = [one.street, one.cards, one.board || NONE, one.done, one.best].map((text) =>
      h("td", visibleLine(text))
    );
    const text = `${one.match} · ${one.seedIndex} · ${one.hand} ${one.seating}`;
    const place = h("td", handLink([state.run, one.match, one.seedIndex, one.hand], href, text));
    return row(agents.label(one.id), place, texts, number(fixed(one.lossMbb / 1000, 2)));
  });
  const head = ["Hand", "Street", "Cards", "Board", "Did", "Better"].map((text) => th(text));
  const table = scrollTable("Costliest decisions", [th("Agent"), head, numberHead("bb lost")], rows, { class: "tall" });
  return h("details", h("summary", "The costliest decisions of each agent"), table);
}
