// Rewards that a configuration brings as text, as parts of a reward: their verdicts are found in the sandbox alone. The
// chance of a call hangs on the run's seed and on what is judged, so a conversation earns the same whatever stands beside it.
import { type CustomReward, type JudgedAnswer, REWARD_NAME, type RewardCase } from "../../protocol/config/customRewards.ts";
import { type Problem, showValue } from "../../protocol/problems.ts";
import { hash32 } from "../data/problems.ts";
import type { Sandbox, SandboxAnswer, SandboxJob } from "../sandbox/jobs.ts";
import type { Rollout, SandboxedPart } from "../types.ts";
import { type Judged, judgedOf, oneAnswer, wrongReward } from "./rewardRule.ts";

type CustomRewards = Readonly<Record<string, CustomReward>>;

const jobOf = ({ source, options, workMs }: CustomReward): SandboxJob => ({ source, entry: "reward", options, workMs });

function inputOf(judged: Judged, seed: number) {
  const value = JSON.stringify(judged);
  return { value, seed: hash32(`${seed}/${value}`) };
}

/** The parts of a configuration's own rewards. @param seed the run's. */
export function customParts(rewards: CustomRewards, seed: number): readonly SandboxedPart[] {
  return Object.entries(rewards).map(([name, reward]) => ({
    name,
    title: reward.title ?? name,
    help: "A custom reward, whose code is part of the configuration.",
    weight: 1,
    sandboxed: { job: jobOf(reward), input: ({ example, trajectory }: Rollout) => inputOf(judgedOf(example, trajectory), seed) },
  }));
}

/** Names that cannot be a reward's. @param taken those of the other parts. */
export function nameProblems(of: "customRewards" | "judges", names: readonly string[], taken: readonly string[]): readonly Problem[] {
  return names.flatMap((name) => {
    const field = `${of}.${name}`;
    if (!REWARD_NAME.test(name)) {
      const rule = `${of} must be named by a small letter and then letters or digits, 30 at most`;
      return [{ field, message: `${rule}, got ${showValue(name)}` }];
    }
    return taken.includes(name) ? [{ field, message: `${field} must have another name: a reward has that one already` }] : [];
  });
}

function casesSentence({ text, earns }: RewardCase, got: string): string {
  const wanted = typeof earns === "number" ? `earn ${earns}` : `earn between ${earns.min} and ${earns.max}`;
  return `${showValue(text, 40)} must ${wanted}, got ${got}`;
}

/** What a reward gives to conversations of one answer each. */
export async function triedReward(
  reward: CustomReward,
  answers: readonly JudgedAnswer[],
  seed: number,
  sandbox: Sandbox,
): Promise<readonly SandboxAnswer[]> {
  const inputs = answers.map(({ question, answer, text }) =>
    inputOf({ question, answer, text, messages: oneAnswer(question, text), stopReason: "completed" }, seed),
  );
  return (await sandbox.run({ job: jobOf(reward), inputs })).map((got) => {
    const wrong = typeof got === "number" ? wrongReward(got) : null;
    return wrong === null ? got : { reason: wrong };
  });
}

/** Sums of decimals that should come to the same number may lie so far from it. */
const ROUNDING = 1e-9;

/** Whether a verdict is what a case asks for. */
export function meetsCase({ earns }: Pick<RewardCase, "earns">, got: SandboxAnswer): boolean {
  const [min, max] = typeof earns === "number" ? [earns - ROUNDING, earns + ROUNDING] : [earns.min, earns.max];
  return typeof got === "number" && got >= min && got <= max;
}

/** What the rewards' own cases say against them, as problems of the configuration; none where all are met. */
export async function brokenCases(rewards: CustomRewards, seed: number, sandbox: Sandbox | undefined): Promise<readonly Problem[]> {
  const problems: Problem[] = [];
  for (const [name, reward] of Object.entries(rewards)) {
    const field = `customRewards.${name}`;
    const answers = reward.cases.length > 0 && sandbox ? await triedReward(reward, reward.cases, seed, sandbox) : [];
    for (const [i, got] of answers.entries()) {
      const wanted = reward.cases[i]!;
      if (meetsCase(wanted, got)) continue;
      const shown = typeof got === "number" ? String(got) : got === null ? "no verdict" : got.reason;
      problems.push({ field: `${field}.cases`, message: `${field}: ${casesSentence(wanted, shown)}` });
    }
  }
  return problems;
}

// Code that was written for another lab often takes the answer and the question one after another. It gets one object as its first
// argument, and earns 0 without a word.

/** What a reward's function is called with. */
export const REWARD_CALL = "reward({ text, question, answer, messages, stopReason }, { options, random })";

/** What such functions are usually handed first elsewhere, as plain texts. */
const TEXTS = new Set(["text", "answer", "response", "completion", "output", "prompt", "question", "generation", "reply", "solution"]);
const HANDED = "(?:text|question|answer|messages|stopReason)";
/** The parameters of an exported function, as far as they are plain names. */
const FUNCTION =
  /export\s+(?:default\s+)?(?:(?:async\s+)?function\s*\w*\s*|const\s+\w+\s*(?::[^=]+)?=\s*(?:async\s*)?)\(\s*([A-Za-z_$][\w$]*)\s*(?::[^,){]+)?\s*(?:=[^,)]*)?\s*([,)])/;

/** What is wrong with the code of a reward that seems to take its arguments one after another, as a sentence; null where it does not. */
export function positionalReward(source: string): string | null {
  const [, first, next] = FUNCTION.exec(source) ?? [];
  if (first === undefined || !TEXTS.has(first)) return null;
  // Whatever it is called, code that takes the conversation apart by itself knows what it is handed.
  const isTakenApart = new RegExp(`\\b${first}\\s*\\??\\.\\s*${HANDED}\\b|\\}\\s*=\\s*${first}\\b|\\b${first}\\s*\\[`).test(source);
  if (isTakenApart) return null;
  const written = next === "," ? `${first}, …` : first;
  return `A reward is called with one object, not with texts one after another: write reward({ ${first === "answer" ? "answer" : "text"} }) in the place of reward(${written}). It is handed ${REWARD_CALL.slice("reward".length)}.`;
}
