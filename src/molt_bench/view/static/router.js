// Hash routes: they work from file:// too, and every hand has its own link.

/** Parse a hash such as #/run/x/hands?agent=a into its path parts and its query. */
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
    return part; // a link typed by hand with a stray percent sign
  }
}

/** Return the hash of a page: route("run", "x", "hand", 1, 0, 3). */
export function route(...parts) {
  return `#/${parts.map((part) => encodeURIComponent(part)).join("/")}`;
}

export function withQuery(hash, query) {
  const text = new URLSearchParams(Object.entries(query).filter(([, value]) => value !== "" && value !== null))
    .toString();
  return text ? `${hash}?${text}` : hash;
}

/** Change the address without redrawing the page. */
export function replaceHash(hash) {
  if (location.hash !== hash) history.replaceState(history.state, "", hash);
}

/** Return the full link of a hash. */
export function fullLink(hash) {
  return location.href.split("#")[0] + hash;
}
