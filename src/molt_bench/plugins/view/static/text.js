// Numbers and other people's text, formatted for reading.

// Characters that are invisible or change the direction of text: a name must not be able to pose as another.
const UNSEEN_PARTS = [
  String.raw`[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f]`,
  String.raw`[\u200b\u200c\u200e\u200f\u2028-\u202e\u2060-\u206f\u2800\u3164\ufe00-\ufe0d\ufeff\uffa0\ufff0-\ufffc]`,
  String.raw`[\u{e0000}-\u{e0fff}]`,
  String.raw`\u200d(?!\p{Extended_Pictographic})`,
  String.raw`\p{Surrogate}`,
];
const UNSEEN = new RegExp(UNSEEN_PARTS.join("|"), "gu");

/** A character as the terminal and the files of a run write it, too. */
const escaped = (char) => `\\u${char.codePointAt(0).toString(16).padStart(4, "0")}`;

/** Return the text with control, bidi and invisible characters escaped; line breaks and tabs stay. */
export function visible(text) {
  return String(text ?? "").replace(UNSEEN, escaped);
}

/** Return the same on one line, with line breaks and tabs escaped too. */
export function visibleLine(text) {
  return visible(text).replace(/[\n\t]/g, escaped);
}

const LARGE = 1e12; // beyond that, the digits of a number are not all its own
const TINY = 1e-6; // below that, a number is written with an exponent

/**
 * Return a number with commas and so many decimals, rounded as by hand: 1.005 is 1.01. It is what the browser's own
 * formatter says, which takes 30 ms to load.
 */
function decimal(value, digits) {
  const size = Math.abs(value);
  if (!(size < LARGE)) {
    return value.toLocaleString("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits });
  }
  const shifted = size < TINY ? 0 : Math.round(Number(`${size}e${digits}`));
  const text = String(shifted).padStart(digits + 1, "0");
  const point = text.length - digits;
  const thousands = text.slice(0, point).replace(/\B(?=(\d{3})+$)/g, ",");
  return `${value < 0 ? "-" : ""}${thousands}${digits ? "." : ""}${text.slice(point)}`;
}

/** Return a small positive number with two digits, never with an exponent. */
function small(value) {
  const digits = Math.min(100, 1 - Math.floor(Math.log10(value)));
  return value.toFixed(digits).replace(/0+$/, "");
}

export const NONE = "–";

export function isMissing(value) {
  return value === null || value === undefined || Number.isNaN(value);
}

export function fixed(value, digits = 1) {
  return isMissing(value) ? NONE : decimal(value, digits).replace("-", "−");
}

export const whole = (value) => fixed(value, 0);

/** Return a number with its sign; one that rounds to zero has none. */
export function signed(value, digits = 1) {
  if (isMissing(value)) return NONE;
  const text = decimal(Math.abs(value), digits);
  if (Number(text.replace(/,/g, "")) === 0) return text;
  return (value < 0 ? "−" : "+") + text;
}

/** Return a number with its sign for an axis: whole numbers without decimals. */
export function signedTick(value) {
  return signed(value, Number.isInteger(value) ? 0 : 1);
}

export function percent(share) {
  if (isMissing(share)) return NONE;
  if (share >= 0.9995) return ">99.9%";
  if (share < 0.0005) return "<0.1%";
  return `${(share * 100).toFixed(1)}%`;
}

export function dollars(value) {
  if (isMissing(value)) return NONE;
  if (value === 0) return "$0";
  return value < 0.1 ? `$${small(value)}` : `$${decimal(value, 2)}`;
}

export function seconds(value) {
  if (isMissing(value)) return NONE;
  if (value < 59.95) return `${fixed(value, value < 9.995 ? 2 : 1)} s`;
  const rounded = Math.round(value); // before it is divided, or there are minutes with 60 seconds
  const minutes = Math.floor(rounded / 60);
  return minutes < 60 ? `${minutes} min ${rounded % 60} s` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** Return an ISO time to the minute, in the time zone it was written in. */
export function moment(iso) {
  return iso ? visibleLine(iso).replace("T", " ").slice(0, 16) : NONE;
}

export function plural(count, word, many = `${word}s`) {
  return `${whole(count)} ${count === 1 ? word : many}`;
}

export const STREETS = ["preflop", "flop", "turn", "river"];

/** A rank as it is printed: the ranks that are possible, such as 2–5. */
export function rankText(ranks) {
  return ranks ? [...new Set(ranks)].join("–") : NONE;
}
