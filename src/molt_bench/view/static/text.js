// Numbers and foreign text as people read them.

// Characters that are not seen, or that turn the text around them: a name must not be able to pose as another.
const UNSEEN =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200c\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0d\ufeff\uffa0\ufff0-\ufffc\u{e0000}-\u{e0fff}]|\u200d(?!\p{Extended_Pictographic})|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/gu;

/** Return the text with control, bidi and invisible characters as escapes; line breaks and tabs stay. */
export function visible(text) {
  return String(text ?? "").replace(UNSEEN, (char) => `\\u{${char.codePointAt(0).toString(16)}}`);
}

/** Return the same on one line: breaks and tabs become escapes too. */
export function visibleLine(text) {
  return visible(text).replace(/\n/g, "\\n").replace(/\t/g, "\\t");
}

const WHOLE = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });
const FIXED = [0, 1, 2, 3, 4].map(
  (digits) => new Intl.NumberFormat("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits }),
);
export const NONE = "–";

function missing(value) {
  return value === null || value === undefined || Number.isNaN(value);
}

export function whole(value) {
  return missing(value) ? NONE : WHOLE.format(value).replace("-", "−");
}

export function fixed(value, digits = 1) {
  return missing(value) ? NONE : FIXED[digits].format(value).replace("-", "−");
}

/** Return a number with its sign; what rounds to zero has none. */
export function signed(value, digits = 1) {
  if (missing(value)) return NONE;
  const text = FIXED[digits].format(Math.abs(value));
  if (Number(text.replace(/,/g, "")) === 0) return text;
  return (value < 0 ? "−" : "+") + text;
}

export function percent(share) {
  if (missing(share)) return NONE;
  if (share >= 0.9995) return ">99.9%";
  if (share < 0.0005) return "<0.1%";
  return `${(share * 100).toFixed(1)}%`;
}

export function dollars(value) {
  if (missing(value)) return NONE;
  if (value === 0) return "$0";
  return value < 0.01 ? `$${Number(value.toPrecision(2))}` : `$${FIXED[2].format(value)}`;
}

export function seconds(value) {
  if (missing(value)) return NONE;
  if (value < 60) return `${fixed(value, value < 10 ? 2 : 1)} s`;
  const minutes = Math.floor(value / 60);
  return minutes < 60 ? `${minutes} min ${whole(value % 60)} s` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** Return an ISO time to the minute, as written: the zone is the one that the run noted. */
export function moment(iso) {
  return iso ? visibleLine(iso).replace("T", " ").slice(0, 16) : NONE;
}

export function plural(count, word, many = `${word}s`) {
  return `${whole(count)} ${count === 1 ? word : many}`;
}

export const STREETS = ["preflop", "flop", "turn", "river"];
export const STATUS = { running: "running", finished: "finished", interrupted: "interrupted" };

/** Return a street's name, whether the data has a number or a word. */
export function streetName(street) {
  return typeof street === "number" ? (STREETS[street] ?? String(street)) : visibleLine(street ?? "");
}
