// Decisions of an invitation, fetched and answered by the long poll, as any agent does it.

const PAUSE_MS = 1000;
const CHECK_MS = 5000;

const pause = (ms) => new Promise((done) => setTimeout(done, ms));

/** Send a request until there is an answer; `say` is told of trouble, and with null that it is over. */
async function answerOf(path, body, say) {
  const headers = { "Content-Type": "application/json" };
  const options = body ? { method: "POST", headers, body: JSON.stringify(body) } : { cache: "no-store" };
  while (true) {
    try {
      const response = await fetch(path, options);
      if (response.status !== 429 && response.status < 500) {
        say(null);
        return response.status === 204 ? {} : await response.json();
      }
      say("The server is busy. Trying again.");
    } catch {
      say("The server does not answer. Trying again; your time goes on.");
    }
    await pause(PAUSE_MS);
  }
}

/** Wait for a decision: an object with `turn`, with `over`, with `error`, or with none if there is nothing yet. */
export async function nextTurn(say) {
  const found = await answerOf("v1/turn?wait=25", null, say);
  if (found.error && !found.over) await pause(PAUSE_MS); // whoever asks again at once would never stop
  return found;
}

/** Answer a decision; the result is the next one, or `error`. The same answer sent twice counts once. */
export function act(answer, say) {
  return answerOf("v1/act?wait=25", answer, say);
}

const isSame = (one, other) =>
  one.turn_token === other?.turn_token && one.observation.previousError === other.observation.previousError;

/** Look again and again whether a decision is still open, until `isDone`; returns what is there instead. */
export async function closed(turn, isDone, say) {
  while (true) {
    await pause(CHECK_MS);
    if (isDone()) return null;
    const found = await answerOf(`v1/turn?wait=0&place=${turn.place}`, null, say);
    if (!isSame(turn, found.turn)) return found;
  }
}
