// The parts of a reward that rewards.py has, with their settings, and what becomes of them together; and the program itself.
import type { RunConfig } from "../../../protocol/config.ts";
import { rewardRules } from "../../../rl/rewards/library/index.ts";
import type { LibraryRule } from "../../../rl/rewards/library/libraryRule.ts";
import type { TaskInstance } from "../../../rl/tasks/task.ts";
import { DATA_TASK } from "../../custom/dataTask.ts";
import program from "./python/rewards.py?raw";
import { pythonPattern } from "./pythonPattern.ts";

/** A part as rewards.py is told of it. */
interface PythonPart {
  /** The rule that scores it, by its name there. */
  readonly rule: string;
  readonly weight: number;
  readonly settings: Readonly<Record<string, unknown>>;
}

/** What of a reward has no form in Python. */
interface Lacking {
  readonly lacking: string;
}

/** What rewards.py is told. */
export interface PythonRules {
  readonly parts: Readonly<Record<string, PythonPart>>;
  readonly gates: Readonly<Record<string, number>>;
  readonly clip: number;
  /** Tokens before the limit of a turn in which DAPO's punishment grows; 0 for none. */
  readonly overlongBuffer: number;
  readonly maxTokens: number;
}

/** Parts of tasks that rewards.py has under their own names; a part that counts calls has a meaning with tools alone. */
export const OWN_PARTS = ["boxedAnswer", "boxedForm", "taggedAnswer", "taggedForm", "em", "f1", "toolErrors", "repeatedCalls"] as const;

/** A rule's settings as Python reads them, or the one that has no form there. */
function pythonSettings(rule: LibraryRule, chosen: Readonly<Record<string, unknown>>): Pick<PythonPart, "settings"> | Lacking {
  const settings: Record<string, unknown> = rule.settingsSchema.parse(chosen);
  for (const { key: name, isExpression } of rule.fields) {
    if (!isExpression) continue;
    const expression = pythonPattern(String(settings[name]));
    if (expression === null) return { lacking: `the ${name} ${JSON.stringify(settings[name])}` };
    settings[name] = expression;
  }
  return { settings };
}

/**
 * The rewards of a run in Python, or the name of a part that has no form there.
 * @param hasTools whether its conversations are those of conversation.py
 */
export function pythonRules(config: RunConfig, task: TaskInstance, hasTools: boolean): PythonRules | Lacking {
  const parts: Record<string, PythonPart> = {};
  for (const { name, weight: usual } of task.rewards) {
    const weight = config.rewardWeights[name] ?? usual;
    const rule = rewardRules.find((each) => each.name === name);
    const chosen = config.rewardRules[name];
    if (rule && chosen) {
      if (rule.python === undefined) return { lacking: `the reward ${name}` };
      const written = pythonSettings(rule, chosen);
      if ("lacking" in written) return written;
      if (rule.pythonWithoutTools && hasTools) return { lacking: name };
      parts[name] = { rule: name, weight, ...written };
    } else if (config.task === DATA_TASK && name === "answer") parts[name] = { rule: "trueAnswer", weight, settings: {} };
    else if ((OWN_PARTS as readonly string[]).includes(name)) parts[name] = { rule: name, weight, settings: {} };
    else return { lacking: `the reward ${name}` };
  }
  const { rewardGates: gates, rewardClip: clip, overlongBuffer, maxCompletionTokens: maxTokens } = config;
  return { parts, gates, clip, overlongBuffer, maxTokens };
}

/** Whether TRL's own weighted sum of the parts is the reward: nothing closes, clips or punishes it. */
export function isPlainSum({ gates, clip, overlongBuffer }: PythonRules): boolean {
  return Object.keys(gates).length === 0 && clip === 0 && overlongBuffer === 0;
}

const inPython = rewardRules.flatMap(({ name, python }) => (python === undefined ? [] : [{ name, python: python.trim() }]));
const functions = inPython.filter(({ python }) => /^def /m.test(python));
/** The last function of its text is the rule. */
const expressionOf = (python: string) => [...python.matchAll(/^def (\w+)/gm)].at(-1)?.[1] ?? python;

/**
 * rewards.py whole: python/rewards.py, which has the parts of tasks and what rules have in common, with what each rule of the
 * library brings in its own file. Functions of rules come before the table; every rule is a line of it.
 */
export const rewardsProgram: string = program
  .replace("\n# Rules by name", () => `\n${functions.map(({ python }) => `${python}\n\n\n`).join("")}# Rules by name`)
  .replace(
    /^RULES = \{\n.*?(?=^\})/ms,
    (table) => table + inPython.map(({ name, python }) => `    "${name}": ${expressionOf(python)},\n`).join(""),
  );
