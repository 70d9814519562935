// The files of a run, to download from a published site.
import { h, number, numberHead, row, scrollTable, th } from "./dom.js";
import { visibleLine, whole } from "./text.js";

/** The files of a run to download, with what it takes to check them. */
export function filesTable(files) {
  const rows = files.map(({ name, href, bytes, sha256 }) =>
    row(h("a", { href, download: name }, visibleLine(name)), [
      number(whole(bytes)),
      h("td", h("code", visibleLine(sha256))),
    ])
  );
  const sums = files[0].href.replace(/[^/]+$/, "SHA256SUMS");
  const archive = files[0].href.split("/").at(-2);
  const all = [
    "The commands above work with ",
    h(
      "a",
      { href: `${files[0].href.replace(/[^/]+$/, "")}${archive}.zip`, download: true },
      "all files as one archive",
    ),
    ". The hashes below are in ",
    h("a", { href: sums }, "SHA256SUMS"),
    ", too.",
  ];
  const table = scrollTable("Files", [th("File"), numberHead("Bytes"), th("SHA-256")], rows);
  return h("div", h("h3", "Files"), h("p.soft", all), table);
}
