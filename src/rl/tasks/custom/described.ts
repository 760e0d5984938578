// What the module of an environment says of itself: which functions it has, and its tools as a policy is told of them.
import { isRecord, showValue } from "../../../protocol/problems.ts";
import { ARGUMENT_KINDS, defineTool, type Tool } from "../../tools/tool.ts";

/** A module that was looked at. */
export interface Described {
  /** Tools that check the arguments of a call and do nothing: the module's own functions run in the sandbox. */
  readonly tools: readonly Tool[];
  readonly draws: boolean;
  readonly starts: boolean;
  readonly steps: boolean;
}

const MOST_TOOLS = 16;
const LONGEST_DESCRIPTION = 1000;
const MOST_CHOICES = 100;
const NAME = /^[A-Za-z_][A-Za-z0-9_-]{0,39}$/;

const isKind = (value: unknown): boolean => ARGUMENT_KINDS.some((kind) => kind === value);
const KINDS = ARGUMENT_KINDS.map((kind) => `"${kind}"`).join(", ");

/** What is wrong with what a module says of an argument, as half a sentence; null where nothing is. */
function argumentProblem(value: unknown): string | null {
  if (!isRecord(value)) return isKind(value) ? null : `must be ${KINDS}, or an object with such a kind, got ${showValue(value)}`;
  const { kind, description, optional, choices, items, ...others } = value;
  const [other] = Object.keys(others);
  if (other !== undefined) return `must have kind, description, optional, choices or items, got ${other.slice(0, 40)}`;
  if (!isKind(kind)) return `must have a kind of ${KINDS}, got ${given(kind)}`;
  if (description !== undefined && (typeof description !== "string" || description.length > LONGEST_DESCRIPTION))
    return `must have a description of at most ${LONGEST_DESCRIPTION} characters, got ${showValue(description)}`;
  if (optional !== undefined && typeof optional !== "boolean") return `must be optional: true or false, got ${showValue(optional)}`;
  const isChoices =
    Array.isArray(choices) && choices.length > 0 && choices.length <= MOST_CHOICES && choices.every((each) => typeof each === kind);
  if (choices !== undefined && !((kind === "string" || kind === "number") && isChoices))
    return `must have 1 to ${MOST_CHOICES} choices of its kind, a string or a number, got ${showValue(choices)}`;
  if (items !== undefined && !(kind === "array" && isKind(items)))
    return `must have items of a kind, in an array alone, got ${showValue(items)}`;
  return null;
}

const given = (value: unknown): string => (value === undefined ? "nothing" : showValue(value));

/** What is wrong with what a module says of a tool, as half a sentence; null where nothing is. */
function problemWith(tool: unknown): string | null {
  if (!isRecord(tool)) return `must be an object, got ${showValue(tool)}`;
  const { name, description, parameters, isRunnable } = tool;
  if (typeof name !== "string" || !NAME.test(name)) return `must have a name of letters, digits and _, got ${given(name)}`;
  if (typeof description !== "string" || description.length > LONGEST_DESCRIPTION)
    return `${name} must have a description of at most ${LONGEST_DESCRIPTION} characters, got ${given(description)}`;
  if (!isRunnable) return `${name} must have a function run`;
  if (!isRecord(parameters)) return `${name} must have parameters, an object such as { item: "string" }, got ${given(parameters)}`;
  for (const [key, argument] of Object.entries(parameters)) {
    const problem = NAME.test(key) ? argumentProblem(argument) : "must be named by letters, digits and _";
    if (problem !== null) return `${name}: the parameter ${key.slice(0, 40)} ${problem}`;
  }
  return null;
}

/** Reads a module's description. Throws a sentence. */
export function readDescribed(given: unknown): Described {
  if (!isRecord(given) || !Array.isArray(given.tools)) throw new Error("its environment cannot be read");
  const { tools, draws, starts, steps } = given;
  if (tools.length > MOST_TOOLS) throw new Error(`its environment must have at most ${MOST_TOOLS} tools`);
  for (const [i, tool] of tools.entries()) {
    const problem = problemWith(tool);
    if (problem !== null) throw new Error(`its environment's tools[${i}] ${problem}`);
  }
  const names = tools.map(({ name }) => name);
  const twice = names.find((name, i) => names.indexOf(name) < i);
  if (twice !== undefined) throw new Error(`its environment's tools must have different names, two are called ${twice}`);
  if (steps !== true && tools.length === 0)
    throw new Error("its environment must export a function step, or tools, so that conversations go on");
  return {
    tools: tools.map(({ name, description, parameters }) => defineTool({ name, description, parameters, run: () => ({ content: "" }) })),
    draws: draws === true,
    starts: starts === true,
    steps: steps === true,
  };
}
