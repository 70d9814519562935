// The name and the note of a run, and the form that changes them where the viewer allows it.
import { saveAbout } from "./data.js";
import { announce, button, h } from "./dom.js";
import { visible } from "./text.js";

const LONGEST_NAME = 200;
const LONGEST_NOTE = 10000;

/** A button that opens a form; `shownOf` returns what the page shows, and `saved` takes what was saved. */
export function aboutEditor(run, shownOf, saved) {
  const problem = h("p.bad", { role: "alert" });
  const name = h("input", { id: "about-name", maxlength: LONGEST_NAME, autocomplete: "off" });
  const note = h("textarea", { id: "about-note", rows: 4, maxlength: LONGEST_NOTE });
  let was = null;
  const open = (isOpen) => {
    form.hidden = !isOpen;
    start.hidden = isOpen;
    problem.textContent = "";
    (isOpen ? name : start).focus();
  };
  const start = button("Edit name and note", () => {
    const shown = shownOf();
    was = { name: shown.title, note: shown.note };
    [name.value, note.value] = [was.name, was.note];
    open(true);
  });
  const submit = async (event) => {
    event.preventDefault();
    try {
      const now = await saveAbout(run, { name: name.value, note: note.value }, was);
      saved(now);
      open(false);
      announce("Saved");
    } catch (error) {
      problem.textContent = visible([error.message, error.hint].filter(Boolean).join(" "));
    }
  };
  const form = h("form.about", { hidden: true, on: { submit } }, [
    h("p.field", h("label", { for: "about-name" }, "Name"), name),
    h("p.field", h("label", { for: "about-note" }, "Note"), note),
    problem,
    h("p", [
      h("button", { type: "submit" }, "Save"),
      " ",
      button("Cancel", () => open(false)),
      h("span.soft", " They are kept in about.yaml in the run's folder, and change no result."),
    ]),
  ]);
  return h("div", start, form);
}
