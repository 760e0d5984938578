// The form of an answer: its text with every number as 0 and every word as "a", so that answers of one make are one word in a table.

/** Letters of a form that are shown. */
const MOST = 60;
/** Of long texts the beginning and the end tell the form. */
const EDGE = 400;

/** "\boxed{97}" and "\boxed{3}" are both "\boxed{0}": what stands behind a backslash is part of the form. */
export function answerForm(text: string): string {
  const ends = text.length > 2 * EDGE ? `${text.slice(0, EDGE)} … ${text.slice(-EDGE)}` : text;
  const form = ends
    .normalize("NFC")
    .replace(/\\?\p{L}[\p{L}\p{M}'’-]*/gu, (word) => (word.startsWith("\\") ? word : "a"))
    .replace(/\d+(?:[.,]\d+)*/g, "0")
    .replace(/\s+/g, " ")
    .trim()
    // A sentence is one word of the form, and so is a row of numbers.
    .replace(/\ba(?:[ ,;:]+a\b)+/g, "a …")
    .replace(/\b0(?:[ ,;]+0\b)+/g, "0 …");
  if (form === "") return text === "" ? "(empty)" : "(blank)";
  return form.length <= MOST ? form : `${form.slice(0, MOST / 2)} … ${form.slice(-MOST / 2)}`;
}
