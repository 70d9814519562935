// What a decision was worth, what the agent saw, and all that it said: every attempt, with its error and its cost.
import { button, facts, h } from "./dom.js";
import { gradePanel, strategyPanel } from "./grades.js";
import { dollars, fixed, isMissing, visible, visibleLine, whole } from "./text.js";

const CUT = 4000; // characters shown at first: a reply of a megabyte must not freeze the page

/** Where the reply of a model is folded away. */
export const REPLY = "Reply as it came";

/** A text, shortened if it is very long, with a button that shows the rest. `make` turns text into an element. */
function longText(text, make, mark = "") {
  if (text.length <= CUT || (mark && text.indexOf(mark) + mark.length > CUT)) return make(text);
  const box = h("div", make(text.slice(0, CUT)));
  const more = button(`Show all ${whole(text.length)} characters`, () => {
    box.replaceChildren(make(text));
    box.firstChild.focus();
  });
  box.append(more);
  return box;
}

/** A text as it is shown, with every occurrence of what was searched for marked. */
function marked(text, mark) {
  if (!mark) return visible(text);
  return text.split(mark).flatMap((part, index) => [index > 0 && h("mark", visible(mark)), visible(part)]);
}

const raw = (label, mark = "") => (text) =>
  h("pre.said", { tabindex: "0", role: "group", "aria-label": label }, marked(text, mark));

/** Text with its paragraphs and line breaks, as plain text. */
const prose = (mark) => (text) => {
  const parts = text.trim().split(/\n\s*\n/).map((part) => h("p", marked(part, mark)));
  return h("div.prose", { tabindex: "0", role: "group", "aria-label": "Reasoning" }, parts);
};

/** A panel of fixed height, so that nothing below it moves from step to step; what is longer scrolls. */
export function decisionBox(...children) {
  return h("div.decision", { tabindex: "0", role: "group", "aria-label": "Decision" }, children);
}

/** The decision at step `at` of a side, as a panel. `open` remembers which texts the reader has opened. */
export function decisionPanel(side, at, agents, open) {
  const step = side.steps[at];
  if (step.decision === null) return decisionBox(h("p.soft", "No decision at this step."));
  const { agent, faults, exchange } = side.decisions[step.decision];
  const shown = new Set((exchange?.attempts ?? []).filter(({ error }) => error).map(({ attempt }) => attempt));
  const stray = faults.filter(({ attempt }) => !shown.has(attempt));
  return decisionBox([
    h("h4", h(`span.mark.c${agents.colour(agent)}`, { "aria-hidden": "true" }), ` ${visibleLine(step.text)}`),
    stray.map((fault) => faultText(fault, fault.attempt ? `, attempt ${fault.attempt}` : "")),
    step.forced && h("p.warning", "Forced fold: the agent gave no legal action."),
    exchange
      ? exchangeBody(exchange, step, open)
      : h("p.soft", "No model is behind this decision, so there is no text."),
    gradePanel(side.grades?.[step.decision], step),
  ]);
}

function faultText({ kind, message }, where) {
  return h("p.warning", h("strong", `${visibleLine(kind)}${where}: `), visibleLine(message).slice(0, 600));
}

function exchangeBody(exchange, step, open) {
  const { attempts, model, system } = exchange;
  const many = attempts.length > 1;
  const known = [
    ["Model", visibleLine(model ?? "")],
    ["Attempts", many && whole(new Set(attempts.map(({ attempt }) => attempt)).size)],
    ["Requests", many && whole(attempts.length)],
    ...spentOn(exchange, many ? " (all)" : ""),
  ];
  return [
    attempts.map((one, index) => attemptBody(one, { many, isLast: index === attempts.length - 1, step, open })),
    facts(known.filter(([, value]) => value), { class: "small" }),
    folded("System prompt", system, open),
  ];
}

/** What an exchange used, in facts; what is not known is left out. */
function spentOn({ tokens, latencyS, usd }, suffix) {
  const cached = tokens.cached ? ` (${whole(tokens.cached)} cached)` : "";
  return [
    [`Tokens in${suffix}`, `${whole(tokens.input)}${cached}`],
    [`Tokens out${suffix}`, whole(tokens.output)],
    ["Response time", !isMissing(latencyS) && `${fixed(latencyS, 2)} s`],
    [`Cost${suffix}`, !isMissing(usd) && dollars(usd)],
  ];
}

function attemptBody(one, { many, isLast, step, open }) {
  const { attempt, outcome, error, reasoning, trace, reply, prompt, promptHash } = one;
  const failed = error !== null || outcome !== "reply";
  const title = `Attempt ${attempt}${failed ? " failed" : ""}`;
  const texts = [
    !isMissing(reasoning) && longText(reasoning, prose(open.mark), open.mark),
    !isMissing(trace) &&
    [h("p.soft", "Thoughts that its server reported:"), longText(trace, prose(open.mark), open.mark)],
    // Without reasoning that could be read, the reply is all there is.
    isMissing(reasoning) ? longText(reply, raw("Reply", open.mark), open.mark) : folded(REPLY, reply, open),
    folded(`Prompt ${visibleLine(promptHash).slice(0, 8)}`, prompt, open, "Prompt"),
  ];
  const body = [
    many && h("h5", title),
    error && faultText(error, ""),
    !error && outcome !== "reply" && h("p.warning", visibleLine(outcome)),
    texts,
    strategyPanel(one.strategy, failed ? null : step),
    many && facts(spentOn(one, "").filter(([, value]) => value), { class: "small" }),
  ];
  return h("div.attempt", { class: failed && !isLast ? "failed" : "" }, body);
}

/** A text behind its title; what the reader opens stays open at the next step. */
function folded(title, text, open, key = title) {
  if (isMissing(text)) return null;
  const box = h(
    "details",
    { open: open[key] ?? false },
    h("summary", title),
    longText(text, raw(title, open.mark), open.mark),
  );
  box.addEventListener("toggle", () => (open[key] = box.open));
  return box;
}
