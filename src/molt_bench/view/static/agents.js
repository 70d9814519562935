// Names and colours of agents, the same on every page.
import { h } from "./dom.js";
import { visibleLine } from "./text.js";

const COLOURS = 8;

/** Return what knows the participants of a run: names and colours by id. */
export function cast(participants) {
  const byId = new Map(participants.map((one, index) => [one.id, { ...one, color: one.color ?? index }]));
  const find = (id) => byId.get(id) ?? { id, name: id, color: 7 };
  return {
    ids: [...byId.keys()],
    name: (id) => visibleLine(find(id).name),
    colour: (id) => find(id).color % COLOURS,
    dashed: (id) => find(id).color >= COLOURS,
    anchor: (id) => Boolean(find(id).anchor),
    model: (id) => find(id).model ?? null,
    /** A name with its mark; bdi keeps a right-to-left name from turning its neighbours. */
    label: (id) => agentLabel(find(id).name, find(id).color),
  };
}

export function agentLabel(name, colour) {
  const shown = visibleLine(name);
  return h("span.agent", { title: shown }, h(`span.mark.c${colour % COLOURS}`, { "aria-hidden": "true" }), h("bdi", shown));
}

/** What a run is called: in a single file its id is only where its data lies. */
export function runName(run) {
  return visibleLine(run.name ?? run.id);
}
