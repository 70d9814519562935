// The landing page of an invitation: copies commands, tests the connection, and shows results when the run is over.
"use strict";

const EVERY_MS = 5000;
const byId = (id) => document.getElementById(id);

function addCopyButton(block) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "copy";
  button.textContent = "Copy";
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(block.textContent);
      button.textContent = "Copied";
    } catch {
      // Browsers let pages without TLS copy nothing: the text is marked, so that Ctrl-C copies it.
      getSelection().selectAllChildren(block.querySelector("code"));
      button.textContent = "Marked: press Ctrl-C";
    }
  });
  block.tabIndex = 0; // it scrolls, so a keyboard must reach it
  block.before(button);
}

async function test() {
  const said = byId("tested");
  said.textContent = "Asking…";
  const begun = performance.now();
  try {
    const { turn } = await (await fetch("v1/test", { cache: "no-store" })).json();
    const body = JSON.stringify({ turn_token: turn.turn_token, kind: "call" });
    const headers = { "Content-Type": "application/json" };
    const answer = await (await fetch("v1/test", { method: "POST", headers, body })).json();
    const ms = Math.round(performance.now() - begun);
    said.textContent = answer.error ? answer.error.message : `${answer.message} Two requests took ${ms} ms.`;
  } catch {
    said.textContent = "The server does not answer.";
  }
}

function signed(chips) {
  return (chips > 0 ? "+" : "") + chips.toLocaleString("en");
}

function showResults(games) {
  const rows = games.map((each) => {
    const row = document.createElement("tr");
    for (const text of [each.game, each.hands.toLocaleString("en"), signed(each.chips), each.faults]) {
      const cell = document.createElement("td");
      cell.textContent = text;
      if (row.children.length) cell.className = "number";
      row.append(cell);
    }
    return row;
  });
  byId("games").replaceChildren(...rows);
  const sum = (field) => games.reduce((total, each) => total + each[field], 0);
  const hands = sum("hands").toLocaleString("en");
  byId("total").textContent = `${signed(sum("chips"))} chips in ${hands} hands of ${games.length} games.`;
  byId("results").hidden = !games.length;
}

async function refresh() {
  const state = byId("state");
  try {
    const { over, games } = await (await fetch("v1/results", { cache: "no-store" })).json();
    if (over) {
      state.textContent = "The run has ended. Keep this page open: the server will soon be gone.";
      showResults(games);
      return;
    }
    state.textContent = "The run is not over yet. Leave this page open, and your results appear here at its end.";
  } catch {
    state.textContent = "The server does not answer: the run may be over or interrupted.";
  }
  setTimeout(refresh, EVERY_MS);
}

document.querySelectorAll("pre").forEach(addCopyButton);
byId("test").addEventListener("click", test);
refresh();
