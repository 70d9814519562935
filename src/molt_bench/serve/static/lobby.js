// The lobby: fetches itself every two seconds, until the run is over.
"use strict";

const EVERY_MS = 2000;

async function refresh() {
  try {
    const answer = await fetch(location.href, { cache: "no-store" });
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    document.querySelector("main").replaceWith(page.querySelector("main"));
    if (document.querySelector("main[data-over]")) return;
  } catch {
    document.getElementById("state").textContent = "The server does not answer: the run may be over or interrupted.";
  }
  setTimeout(refresh, EVERY_MS);
}

setTimeout(refresh, EVERY_MS);
