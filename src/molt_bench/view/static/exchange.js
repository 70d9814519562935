// What an agent saw and said at a decision. All of it is untrusted, and shown as plain text.
import { button, facts, h } from "./dom.js";
import { dollars, fixed, isMissing, visible, visibleLine, whole } from "./text.js";

const CUT = 4000; // characters shown at first: a reply of a megabyte must not freeze the page

/** A text, shortened if it is very long, with a button that shows the rest. */
function longText(text, label) {
  const pre = h("pre.said", { tabindex: "0", role: "region", "aria-label": label }, visible(text.slice(0, CUT)));
  if (text.length <= CUT) return pre;
  const more = button(`Show all ${whole(text.length)} characters`, () => {
    pre.textContent = visible(text);
    more.remove();
    pre.focus();
  });
  return h("div", pre, more);
}

/** The decision at step `at` of a side, as a panel. `open` remembers which texts the reader has opened. */
export function decisionPanel(side, at, agents, open) {
  const step = side.steps[at];
  if (step.decision === null) return h("div.decision", h("p.soft", "No decision at this step."));
  const { agent, faults, exchange } = side.decisions[step.decision];
  return h("div.decision", [
    h("h4", h(`span.mark.c${agents.colour(agent)}`, { "aria-hidden": "true" }), ` ${visibleLine(step.text)}`),
    faults.map(({ kind, attempt, message }) => {
      const title = `${visibleLine(kind)}${attempt ? `, attempt ${attempt}` : ""}: `;
      return h("p.warning", h("strong", title), visibleLine(message).slice(0, 600));
    }),
    step.forced && h("p.warning", "Forced fold: the agent gave no legal action."),
    exchange ? exchangeBody(exchange, open) : h("p.soft", "No model is behind this decision, so there is no text."),
  ]);
}

function exchangeBody(exchange, open) {
  const { tokens, latencyS, usd } = exchange;
  const cached = tokens.cached ? ` (${whole(tokens.cached)} cached)` : "";
  const known = [
    ["Outcome", exchange.outcome !== "reply" && visibleLine(exchange.outcome)],
    ["Model", visibleLine(exchange.model)],
    ["Tokens in", `${whole(tokens.input)}${cached}`],
    ["Tokens out", whole(tokens.output)],
    ["Response time", !isMissing(latencyS) && `${fixed(latencyS, 2)} s`],
    ["Cost", !isMissing(usd) && dollars(usd)],
    ["Attempts", whole(exchange.attempts)],
    ["Prompt", visibleLine(exchange.promptHash).slice(0, 12)],
  ];
  const texts = [
    ["Reply", exchange.reply],
    ["Reasoning", exchange.reasoning],
    ["Prompt", exchange.prompt],
    ["System prompt", exchange.system],
  ];
  return [
    facts(known.filter(([, value]) => value), { class: "small" }),
    texts.filter(([, text]) => !isMissing(text)).map(([name, text]) => {
      const box = h("details", { open: open[name] ?? name === "Reply" }, h("summary", name), longText(text, name));
      box.addEventListener("toggle", () => (open[name] = box.open));
      return box;
    }),
  ];
}
