// Turns schema violations into sentences that name the field, the rule and the value:
// "groupSize must be >= 2, got 1".
import type { z } from "zod";

/** One violated rule. */
export interface Problem {
  /** Dotted path of the field, empty for the whole value. */
  readonly field: string;
  readonly message: string;
}

/** An error whose message can be shown to a user as it is. */
export class InputError extends Error {
  override readonly name = "InputError";
  readonly problems: readonly Problem[];
  constructor(problems: readonly Problem[]) {
    super(problems.map((problem) => problem.message).join("; "));
    this.problems = problems;
  }
}

/** A request that came to nothing because of a later one: nothing is wrong. */
export class Overtaken extends Error {
  override readonly name = "Overtaken";
}

/** Whether a value from outside has named fields. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Renders any value for an error message, shortened to 60 characters. */
export function showValue(value: unknown): string {
  const shown =
    typeof value === "string" ? JSON.stringify(value) : typeof value === "object" && value !== null ? JSON.stringify(value) : String(value);
  return shown.length > 60 ? `${shown.slice(0, 57)}...` : shown;
}

function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  let value = input;
  for (const key of path) value = typeof value === "object" && value !== null ? (value as Record<PropertyKey, unknown>)[key] : undefined;
  return value;
}

function rule(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case "too_small":
      return `must be ${issue.inclusive === false ? ">" : ">="} ${issue.minimum}`;
    case "too_big":
      return `must be ${issue.inclusive === false ? "<" : "<="} ${issue.maximum}`;
    case "invalid_type":
      return `must be ${issue.expected === "int" ? "a whole number" : `a ${issue.expected}`}`;
    case "invalid_value":
      return `must be ${issue.values.length === 1 ? "" : "one of "}${issue.values.map((value) => showValue(value)).join(", ")}`;
    default:
      return issue.message;
  }
}

/** All violated rules of one failed parse; `input` is the value that was parsed. */
export function problemsOf(error: z.ZodError, input: unknown): readonly Problem[] {
  return error.issues.flatMap((issue): Problem[] => {
    const path = issue.path.map(String).join(".");
    if (issue.code === "unrecognized_keys")
      return issue.keys.map((key) => ({
        field: path ? `${path}.${key}` : key,
        message: `unknown field ${showValue(path ? `${path}.${key}` : key)}`,
      }));
    const field = path || "value";
    return [{ field: path, message: `${field} ${rule(issue)}, got ${showValue(valueAt(input, issue.path))}` }];
  });
}

/** Parses or throws an InputError with one sentence per violated rule. */
export function parseOrThrow<T extends z.ZodType>(schema: T, input: unknown): z.output<T> {
  const result = schema.safeParse(input);
  if (!result.success) throw new InputError(problemsOf(result.error, input));
  return result.data;
}
