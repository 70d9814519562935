// The page of an exam: the ranking, the costliest answers beside the solution, and two participants side by side.
import { isSingleFile, load } from "./data.js";
import { cast, choice, h, number, numberHead, row, runName, scrollTable, th } from "./dom.js";
import { savedTable } from "./download.js";
import { filesTable } from "./filestable.js";
import { crumbs, route } from "./router.js";
import { dollars, fixed, percent, plural, signed, visible, visibleLine, whole } from "./text.js";

const LISTED = 20;

/** The exams of a folder below its runs; null without any. */
export async function examsSection() {
  const found = isSingleFile ? [] : await load("api/exams.json").catch(() => []);
  if (!found.length) return null;
  const rows = found.map((one) => {
    const link = h("a", { href: route("exam", one.id) }, h("bdi", visibleLine(one.id)));
    if (one.error) return row(h("bdi", visibleLine(one.id)), h("td", { colspan: "4" }, visibleLine(one.error)));
    const state = one.ended ? "finished" : "not ended";
    return row(link, [
      h("td", state),
      h("td", visibleLine(one.questions)),
      number(whole(one.participants.length)),
      number(whole(one.answers)),
    ]);
  });
  const head = [th("Exam"), th("Status"), th("Questions"), numberHead("Agents"), numberHead("Answers")];
  return h("section.part", h("h2", "Exams"), scrollTable("Exams", head, rows));
}

export async function examPage(place, view) {
  const exam = await load(`api/exams/${encodeURIComponent(place.parts[1])}.json`);
  for (const one of Object.values(exam.answers).flat()) Object.assign(one, exam.questions[one.question]);
  const agents = cast(exam.participants);
  const { result } = exam;
  const ended = exam.ended ? `Stopped: ${visibleLine(result.stopReason)}.` : "Not ended yet.";
  const again = result.repeated ? `, ${whole(result.repeated)} of them asked again` : "";
  const asked = `${plural(result.asked, "question")} of ${visibleLine(result.questions)}${again}: ` +
    `${result.streets.map(visibleLine).join(", ")}.`;
  const ranked = result.participants.map(({ id }) => id);
  view.show(runName(exam), [
    isSingleFile ? null : crumbs(["Runs", "#/"]),
    h("h1", h("bdi", runName(exam))),
    h("p.soft", `Exam. ${ended} ${asked}`),
    rankingSection(exam, agents),
    exam.hidden && h("p.warning", "The questions are secret until the exam has ended: answers are shown then."),
    !exam.hidden && costliestSection(exam, ranked, agents),
    !exam.hidden && ranked.length > 1 && sideBySide(exam, ranked, agents),
    exam.files?.length &&
    h("section.part", h("h2", "Check it"), filesTable(exam.files, "molt-bench verify checks every answer from ")),
  ]);
}

function rankingSection({ result, note }, agents) {
  const { participants, streets, costUsd } = result;
  const kinds = Object.keys(participants[0]?.kinds ?? {});
  const costs = Object.keys(costUsd).length > 0;
  const head = [
    th("Agent"),
    numberHead("Lost per 100 decisions"),
    [...streets, ...kinds, "Answers", "Forced folds"].map((text) => numberHead(visibleLine(text))),
    costs && numberHead("Dollars"),
  ];
  const rows = participants.map((one) =>
    row(agents.label(one.id), [
      h("td.number", fixed(one.loss), h("small", one.halfWidth === null ? "" : `± ${fixed(one.halfWidth)}`)),
      streets.map((street) => number(fixed(one.streets[street]))),
      kinds.map((kind) => number(fixed(one.kinds[kind]))),
      [one.answered, one.forced].map((count) => number(whole(count))),
      costs && number(dollars(costUsd[one.id])),
    ])
  );
  return h("section.part", [
    h("h2", "Ranking"),
    savedTable("Ranking", head, rows),
    result.orders.length > 0 && h("ul.sentences", result.orders.map((text) => h("li", visible(text)))),
    h("p.soft", "Lost: big blinds given away, weighted by how often such decisions occur. ", visible(note)),
  ]);
}

const mix = (steps) => steps.map(({ text, chance }) => `${text} ${percent(chance)}`).join(", ");
const asCell = (text) => h("td", visibleLine(text));

/** What a question shows: the kind of decision, cards, board and the actions so far. */
const decisionCells = (one) => [one.kind, one.cards, one.board, one.line].map(asCell);
// New cells for each table: a cell that is put into a second one leaves the first.
const decisionHead = () => ["Cards", "Board", "So far"].map((text) => th(text));

function costliestSection(exam, ranked, agents) {
  const box = h("div");
  const draw = (id) => {
    const rows = (exam.answers[id] ?? []).filter(({ loss }) => loss > 0).slice(0, LISTED).map((one) => {
      const said = one.words && h("details", h("summary", "What it said"), h("p.note-text", visible(one.words)));
      const answer = h("td", visibleLine(mix(one.done)), said);
      const [kind, ...rest] = decisionCells(one);
      return row(kind.textContent, rest, answer, asCell(mix(one.solution)), number(fixed(one.loss, 2)));
    });
    const head = [th("Decision"), decisionHead(), th("Answer"), th("The solution"), numberHead("bb lost")];
    const name = `Costliest answers of ${agents.name(id)}`;
    box.replaceChildren(...(rows.length ? savedTable(name, head, rows) : [h("p", "Nothing was given away.")]));
  };
  draw(ranked[0]);
  const options = ranked.map((id) => [id, agents.name(id)]);
  return h("section.part", [
    h("h2", "Costliest answers"),
    h("p.soft", "First those that cost most, by how often such decisions occur. Chips: blinds are 50 and 100."),
    h("p", choice("costliest-of", "Agent", options, ranked[0], draw)),
    box,
  ]);
}

function sideBySide(exam, ranked, agents) {
  const chosen = [ranked[0], ranked[1]];
  const box = h("div");
  const draw = () => {
    const [first, second] = chosen.map((id) => (exam.answers[id] ?? []).filter(({ sample }) => sample === 0));
    const others = new Map(second.map((one) => [one.question, one]));
    const pairs = first.filter(({ question }) => others.has(question)).map((one) => [one, others.get(one.question)]);
    const gap = ([one, other]) => one.weight * (other.loss - one.loss);
    const rows = pairs.sort((a, b) => Math.abs(gap(b)) - Math.abs(gap(a))).slice(0, LISTED).map(([one, other]) => {
      const [kind, ...rest] = decisionCells(one);
      const texts = [mix(one.done), mix(other.done), mix(one.solution)].map(asCell);
      return row(kind.textContent, rest, texts, number(signed(other.loss - one.loss, 2)));
    });
    const names = chosen.map((id) => th(agents.name(id)));
    const head = [th("Decision"), decisionHead(), names, th("The solution"), numberHead("bb the first is ahead")];
    box.replaceChildren(...savedTable("Side by side", head, rows));
  };
  draw();
  const options = ranked.map((id) => [id, agents.name(id)]);
  const pick = (at, id, label) =>
    choice(id, label, options, chosen[at], (value) => {
      chosen[at] = value;
      draw();
    });
  return h("section.part", [
    h("h2", "Side by side"),
    h("p.soft", "The decisions that set two agents furthest apart."),
    h("p", pick(0, "side-first", "First"), " ", pick(1, "side-second", "Second")),
    box,
  ]);
}
