// The lobby: fetches its state every two seconds and shows it. Names are only ever set as text.
"use strict";

const EVERY_MS = 2000;

function stateOf(agent) {
  if (!agent.came) return "has not come yet";
  const forfeits = agent.forfeits ? `; ${agent.forfeits} games forfeited` : "";
  if (agent.left) return `has left: the run goes on without it${forfeits}`;
  if (agent.away !== null) {
    const since = new Date(Date.now() - 1000 * agent.away).toLocaleTimeString("en-GB");
    return `away since ${since} (${agent.away} s)${forfeits}`;
  }
  const partly = agent.filled < agent.places ? ` at ${agent.filled} of ${agent.places} places` : "";
  const where = partly + (agent.connected ? "" : ", not connected right now");
  if (agent.deciding) return "is deciding" + where;
  if (agent.playing) return "is playing" + where;
  return "waits" + where;
}

function cell(text, className) {
  const made = document.createElement("td");
  made.textContent = text;
  if (className) made.className = className;
  return made;
}

function show(data) {
  const state = document.getElementById("state");
  if (data.over) state.textContent = "The run is over.";
  else if (data.progress) state.textContent = "The run is under way.";
  else if (data.missing) state.textContent = `Waiting for ${data.missing} of ${data.invited} agents.`;
  else state.textContent = "Everybody is there. The run begins.";
  document.getElementById("table").hidden = !data.agents;
  const rows = (data.agents || []).map((agent) => {
    const row = document.createElement("tr");
    const name = agent.seating ? `${agent.name} (copy for seating ${agent.seating})` : agent.name;
    row.append(cell(name), cell(data.over ? "done" : stateOf(agent)));
    row.append(cell(agent.decisions.toLocaleString("en"), "number"));
    return row;
  });
  document.getElementById("agents").replaceChildren(...rows);
  const at = data.progress;
  document.getElementById("progress").textContent = at
    ? `Match ${at.match}, round ${at.round}: ${at.games} of ${at.gamesInRound} games of this round are done; ` +
      `${at.hands.toLocaleString("en")} hands in finished rounds.`
    : "";
}

async function refresh() {
  try {
    const answer = await fetch("lobby.json" + location.search, { cache: "no-store" });
    const data = await answer.json();
    show(data);
    if (data.over) return;
  } catch {
    document.getElementById("state").textContent = "The server does not answer: the run may be over or interrupted.";
  }
  setTimeout(refresh, EVERY_MS);
}

document.getElementById("watch").href = "watch" + location.search;
refresh();
