// JSON that validates against a schema: an object with the fields below and no others, each of its kind. Each step towards
// it earns something, so that there is a way up: braces, JSON that can be read, each right field, and nothing beside it.

type Kind = "text" | "number";

const SCHEMA: Readonly<Record<string, Kind>> = { name: "text", age: "number" };

/** Whether a value is of a kind. */
function isOf(value: unknown, kind: Kind): boolean {
  return kind === "number" ? typeof value === "number" : typeof value === "string" && value.trim() !== "";
}

/** The object that a text holds from its first brace to its last; null where it cannot be read. */
function objectIn(text: string): Record<string, unknown> | null {
  try {
    const found = JSON.parse(text.slice(text.indexOf("{"), text.lastIndexOf("}") + 1));
    return typeof found === "object" && found !== null && !Array.isArray(found) ? found : null;
  } catch {
    return null;
  }
}

// Called with each finished conversation; `text` is what the model said.
export function reward({ text }: { text: string }): number {
  const object = objectIn(text);
  if (object === null) return text.trim().startsWith("{") ? 0.1 : 0;
  const wanted = Object.keys(SCHEMA);
  const right = wanted.filter((key) => isOf(object[key], SCHEMA[key]!)).length / wanted.length;
  const extra = Object.keys(object).filter((key) => !wanted.includes(key)).length;
  const isBare = text.trim().startsWith("{") && text.trim().endsWith("}");
  return 0.3 + 0.4 * right + (right === 1 && extra === 0 ? 0.2 : 0) + (isBare ? 0.1 : 0);
}
