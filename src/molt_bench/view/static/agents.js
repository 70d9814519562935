// Names and colours of agents, the same on every page.
import { h } from "./dom.js";
import { visibleLine } from "./text.js";

const COLOURS = 8;

/** Return lookups of the participants of a run: names, colours and labels by id. */
export function cast(participants) {
  const byId = new Map(participants.map((one, index) => [one.id, { ...one, color: one.color ?? index }]));
  const find = (id) => byId.get(id) ?? { id, name: id, color: 7 };
  return {
    name: (id) => visibleLine(find(id).name),
    colour: (id) => find(id).color % COLOURS,
    dashed: (id) => find(id).color >= COLOURS,
    anchor: (id) => Boolean(find(id).anchor),
    label: (id) => agentLabel(find(id).name, find(id).color),
  };
}

/** A name with its coloured dot; bdi keeps a right-to-left name from affecting its neighbours. */
export function agentLabel(name, colour) {
  const shown = visibleLine(name);
  const mark = h(`span.mark.c${colour % COLOURS}`, { "aria-hidden": "true" });
  return h("span.agent", { title: shown }, mark, h("bdi", shown));
}

/** The name of a run; in a single file its id is only the key of its data. */
export function runName(run) {
  return visibleLine(run.name ?? run.id);
}
