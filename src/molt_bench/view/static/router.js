// Hash routes: the page works from file:// too, and every hand has a link of its own.

/** Return the parts of the path and the query of a hash such as #/run/x/hands?agent=a. */
export function parseHash(hash) {
  const text = hash.replace(/^#\/?/, "");
  const cut = text.indexOf("?");
  const path = cut < 0 ? text : text.slice(0, cut);
  const parts = path.split("/").filter(Boolean).map(decoded);
  return { path, parts, query: new URLSearchParams(cut < 0 ? "" : text.slice(cut + 1)) };
}

function decoded(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part; // a hand-typed link with a lone percent sign
  }
}

/** Return the hash of a place: route("run", "x", "hand", 1, 0, 3). */
export function route(...parts) {
  return `#/${parts.map((part) => encodeURIComponent(part)).join("/")}`;
}

export function withQuery(hash, query) {
  const text = new URLSearchParams(Object.entries(query).filter(([, value]) => value !== "" && value !== null)).toString();
  return text ? `${hash}?${text}` : hash;
}

/** Change the address in place, without drawing the page anew. */
export function replaceHash(hash) {
  if (location.hash !== hash) history.replaceState(history.state, "", hash);
}

/** The full link of a hash, to be copied. */
export function fullLink(hash) {
  return location.href.split("#")[0] + hash;
}
