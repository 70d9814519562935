// What an agent saw and said at a decision. All of it is somebody else's text, and is shown as text.
import { button, h } from "./dom.js";
import { dollars, fixed, visible, visibleLine, whole } from "./text.js";

const CUT = 4000; // characters shown at first: a megabyte reply must not freeze the page

/** A text, cut if it is very long, with a button that shows the rest. */
export function longText(text, label) {
  const full = String(text);
  const pre = h("pre.said", { tabindex: "0", role: "region", "aria-label": label }, visible(full.slice(0, CUT)));
  if (full.length <= CUT) return pre;
  const more = button(`Show all ${whole(full.length)} characters`, () => {
    pre.textContent = visible(full);
    more.remove();
    pre.focus();
  });
  return h("div", pre, more);
}

/** The decision of a side at or before step `at`, as a panel. `open` remembers which texts the reader has opened. */
export function decisionPanel(side, at, agents, open) {
  const step = side.steps[at];
  const known = step.decision !== null && step.decision !== undefined;
  if (!known) return h("div.decision", h("p.soft", "Nobody decides at this step."));
  const decision = side.decisions[step.decision];
  const { exchange } = decision;
  return h("div.decision",
    h("h4", h(`span.mark.c${agents.colour(decision.agent)}`, { "aria-hidden": "true" }), ` ${visibleLine(step.text)}`),
    decision.faults.map((fault) => h("p.warning", h("strong", `${visibleLine(fault.kind)}${fault.attempt ? `, attempt ${fault.attempt}` : ""}: `), visibleLine(fault.message).slice(0, 600))),
    step.forced && h("p.warning", "The fold was forced: the agent gave no legal action."),
    exchange ? exchangeBody(exchange, open) : h("p.soft", "A scripted agent: it decides by a rule and says nothing."));
}

function exchangeBody(exchange, open) {
  const tokens = exchange.tokens ?? {};
  const facts = [
    ["Outcome", exchange.outcome && exchange.outcome !== "reply" && visibleLine(exchange.outcome)],
    ["Model", exchange.model && visibleLine(exchange.model)],
    ["Tokens in", tokens.input !== undefined && `${whole(tokens.input)}${tokens.cached ? ` (${whole(tokens.cached)} cached)` : ""}`],
    ["Tokens out", tokens.output !== undefined && whole(tokens.output)],
    ["Waited", exchange.latencyS !== null && exchange.latencyS !== undefined && `${fixed(exchange.latencyS, 2)} s`],
    ["Cost", exchange.usd !== null && exchange.usd !== undefined && dollars(exchange.usd)],
    ["Attempts", exchange.attempts && whole(exchange.attempts)],
    ["Prompt", exchange.promptHash && visibleLine(exchange.promptHash).slice(0, 12)],
  ].filter(([, value]) => value);
  const texts = [["Reply", exchange.reply, true], ["Reasoning", exchange.reasoning, false], ["Prompt", exchange.prompt, false], ["System prompt", exchange.system, false]];
  return [
    h("dl.facts.small", facts.map(([name, value]) => h("div", h("dt", name), h("dd", value)))),
    texts.filter(([, text]) => text !== null && text !== undefined).map(([name, text, first]) => {
      const box = h("details", { open: open[name] ?? first }, h("summary", name), longText(text, name));
      box.addEventListener("toggle", () => (open[name] = box.open));
      return box;
    }),
  ];
}
