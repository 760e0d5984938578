// What somebody writes on a run: a name, notes, tags, whether it stands first in lists. It is a file of the run's save beside
// those that the run writes, plain JSON that people can edit, and changes without the run being opened.
import { errorText, orElse, orThrow, parsedJson, parseOrThrow } from "../problems.ts";
import { z } from "../zod.ts";

/** The longest of each. */
export const LABEL_LIMITS = { name: 80, notes: 4000, tags: 12, tag: 32 } as const;

const line = (most: number) =>
  z
    .string()
    .min(1)
    .max(most)
    .refine((text) => text.trim() === text && !/[\n\r]/.test(text), "must be one line without blanks at its ends");

/** The words on a run; what is not there was not written. */
export const runLabelSchema = z.strictObject({
  name: line(LABEL_LIMITS.name).exactOptional(),
  notes: z.string().min(1).max(LABEL_LIMITS.notes).exactOptional(),
  tags: z
    .array(line(LABEL_LIMITS.tag).refine((tag) => !tag.includes(","), "must have no comma"))
    .min(1)
    .max(LABEL_LIMITS.tags)
    .refine((tags) => new Set(tags).size === tags.length, "must not have a tag twice")
    .exactOptional(),
  isPinned: z.literal(true).exactOptional(),
});
/** What somebody has written on a run. */
export type RunLabel = z.output<typeof runLabelSchema>;

/** The file of a label in a run's folder, beside the save. */
export const LABEL_FILE = "label.json";

export function encodeLabel(label: RunLabel): Uint8Array {
  return new TextEncoder().encode(`${JSON.stringify(label, null, 2)}\n`);
}

/** Reads a label. Throws a sentence that names the file and the field. */
export function decodeLabel(file: Uint8Array, name = "label"): RunLabel {
  const json = parsedJson(
    new TextDecoder().decode(file),
    (cause) => new Error(`${name} is not JSON: it was cut short or changed by hand`, { cause }),
  );
  return orThrow(
    () => parseOrThrow(runLabelSchema, json),
    (cause) => new Error(`${name}: ${errorText(cause)}`, { cause }),
  );
}

/** A label where one can be read: nothing depends on it, so one that was spoilt is as none. */
export function labelIn(file: Uint8Array | null | undefined): RunLabel {
  return file ? orElse(() => decodeLabel(file), {}) : {};
}
