// JSON spelled as Jinja's tojson spells it (Python's json.dumps): a space after each comma and colon,
// keys in their own order. The chat template and the renderer must agree to the byte.

/** JSON of plain data; undefined fields are left out. */
export function jsonText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(jsonText).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value ?? null);
  const fields = Object.entries(value).filter(([, field]) => field !== undefined);
  return `{${fields.map(([key, field]) => `${JSON.stringify(key)}: ${jsonText(field)}`).join(", ")}}`;
}
