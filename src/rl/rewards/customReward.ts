// Rewards that a configuration brings as text, as parts of a reward: their verdicts are found in the sandbox alone. The
// chance of a call hangs on the run's seed and on what is judged, so a conversation earns the same whatever stands beside it.
import type { CustomReward, RewardCase } from "../../protocol/config/customRewards.ts";
import { REWARD_NAME } from "../../protocol/config/customRewards.ts";
import { type Problem, showValue } from "../../protocol/problems.ts";
import { hash32 } from "../data/problems.ts";
import type { Sandbox, SandboxJob } from "../sandbox/jobs.ts";
import type { Rollout, SandboxedPart } from "../types.ts";
import { type Judged, judgedOf } from "./rewardRule.ts";

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
    help: "A reward of somebody's own, whose code is part of the configuration.",
    weight: 1,
    sandboxed: { job: jobOf(reward), input: ({ example, trajectory }: Rollout) => inputOf(judgedOf(example, trajectory), seed) },
  }));
}

/** Names that cannot be a reward's. @param taken those of the task's parts and of the library. */
export function customProblems(rewards: CustomRewards, taken: readonly string[]): readonly Problem[] {
  return Object.keys(rewards).flatMap((name) => {
    const field = `customRewards.${name}`;
    if (!REWARD_NAME.test(name)) {
      const rule = "customRewards must be named by a small letter and then letters or digits, 30 at most";
      return [{ field, message: `${rule}, got ${showValue(name)}` }];
    }
    return taken.includes(name) ? [{ field, message: `${field} must have another name: a reward has that one already` }] : [];
  });
}

function casesSentence({ text, earns }: RewardCase, got: string): string {
  const wanted = typeof earns === "number" ? `earn ${earns}` : `earn between ${earns.min} and ${earns.max}`;
  return `${showValue(text, 40)} must ${wanted}, got ${got}`;
}

/** What the rewards' own cases say against them, as problems of the configuration; none where all are met. */
export async function brokenCases(rewards: CustomRewards, seed: number, sandbox: Sandbox | undefined): Promise<readonly Problem[]> {
  const problems: Problem[] = [];
  for (const [name, reward] of Object.entries(rewards)) {
    const field = `customRewards.${name}`;
    const inputs = reward.cases.map(({ question, answer, text }) => {
      const said = [
        { role: "user", content: question },
        { role: "assistant", content: text },
      ] as const;
      return inputOf({ question, answer, text, messages: said, stopReason: "completed" }, seed);
    });
    const answers = inputs.length > 0 && sandbox ? await sandbox.run({ job: jobOf(reward), inputs }) : [];
    for (const [i, got] of answers.entries()) {
      const wanted = reward.cases[i]!;
      const [min, max] =
        typeof wanted.earns === "number" ? [wanted.earns - 1e-9, wanted.earns + 1e-9] : [wanted.earns.min, wanted.earns.max];
      if (typeof got === "number" && got >= min && got <= max) continue;
      const shown = typeof got === "number" ? String(got) : got === null ? "no verdict" : got.reason;
      problems.push({ field: `${field}.cases`, message: `${field}: ${casesSentence(wanted, shown)}` });
    }
  }
  return problems;
}
