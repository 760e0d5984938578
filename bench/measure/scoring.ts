// What it costs that verdicts are asked for in batches, which may be elsewhere and late: the same conversations of a
// preset, scored as the step does it and by a bare loop over its plain rules, in turns. A share of the step's time tells
// whether anybody can notice.
import { createNodeHost } from "../../src/cli/nodeHost.ts";
import { openModel } from "../../src/library/openModel.ts";
import type { RunConfig } from "../../src/protocol/config.ts";
import type { RewardPartRecord } from "../../src/protocol/records.ts";
import { Random } from "../../src/rl/random.ts";
import { combineParts, combineTurns, PLAIN_SUM } from "../../src/rl/rewards/combineParts.ts";
import { scoreGroups } from "../../src/rl/rewards/weightedReward.ts";
import { generate } from "../../src/rl/rollout/generator.ts";
import type { TaskInstance } from "../../src/rl/tasks/task.ts";
import type { Reward, TrajectoryGroup } from "../../src/rl/types.ts";
import { presets } from "../../src/train/catalog.ts";
import { conversationPresets } from "../../src/train/conversationPresets.ts";
import type { ScoringResult } from "../report/result.ts";
import { median } from "../report/statistics.ts";

const PRESETS = ["boxed-arithmetic", "calculator", "countdown"] as const;
/** Passes over the conversations in one measurement, which takes some milliseconds. */
const PASSES = 8;

/** Each conversation by itself, with nothing held against a rule that fails. */
function scorePlainly(task: TaskInstance, weights: RunConfig["rewardWeights"], groups: readonly TrajectoryGroup[]): readonly Reward[] {
  const rewards: Reward[] = [];
  for (const { example, trajectories } of groups)
    for (const trajectory of trajectories) {
      const parts = task.rewards.map((part): RewardPartRecord => {
        if (!("score" in part)) throw new Error(`internal: ${part.name} is no plain rule`);
        const value = part.score(example, trajectory);
        const turns = value === null ? null : (part.turns?.(example, trajectory) ?? null);
        return { name: part.name, value, weight: weights[part.name] ?? part.weight, ...(turns ? { turns } : {}) };
      });
      const total = combineParts(parts, PLAIN_SUM);
      const turns = total === null ? null : combineTurns(parts, total);
      rewards.push({ total, parts, success: task.isSuccess(example, trajectory), ...(turns ? { turns } : {}) });
    }
  return rewards;
}

/** One step's conversations of a preset, and how long sampling them takes. */
async function sampled(id: string) {
  const preset = [...presets, ...conversationPresets].find((each) => each.id === id);
  if (!preset) throw new Error(`internal: there is no preset ${id}`);
  const opened = await openModel({ ...preset.config, backend: "wasm", threads: 1 }, createNodeHost());
  const { config, task, model, renderer } = opened;
  const { groupSize: copies, maxCompletionTokens: maxNewTokens, temperature, topK, topP, minP } = config;
  const parts = { policy: model.policy(), envs: task.envs, renderer, startAgents: task.startAgents ?? [] };
  const rule = { copies, maxNewTokens, maxTurns: task.maxTurns ?? 1, temperature, topK, topP, minP };
  const examples = task.trainLoader().next(config.promptsPerStep);
  const sample = () => generate(parts, examples, { ...rule, random: new Random(config.seed) });
  await sample();
  const before = performance.now();
  const groups = await sample();
  return { ...opened, groups, sampleMs: performance.now() - before };
}

/** Microseconds of processor time a conversation, both ways in turns. Throws where they give different rewards. */
async function measureOne(id: string, rounds: number): Promise<ScoringResult["presets"][number]> {
  const { config, task, rewards, groups, sampleMs, close } = await sampled(id);
  close();
  const conversations = groups.reduce((sum, { trajectories }) => sum + trajectories.length, 0);
  const plain = async () => scorePlainly(task, config.rewardWeights, groups);
  const batched = async () => (await scoreGroups(groups, rewards, config)).flat();
  const totals = async (score: () => Promise<readonly Reward[]>) => (await score()).map(({ total }) => total).join();
  if ((await totals(plain)) !== (await totals(batched))) throw new Error(`internal: ${id} was scored differently in batches`);
  const time = async (score: () => Promise<readonly Reward[]>) => {
    const before = process.cpuUsage();
    for (let pass = 0; pass < PASSES; pass++) await score();
    const { user, system } = process.cpuUsage(before);
    return (user + system) / (PASSES * conversations);
  };
  const pairs: { readonly plain: number; readonly batched: number }[] = [];
  for (let round = 0; round < 20 * rounds; round++)
    pairs.push(
      round % 2 === 0
        ? { plain: await time(plain), batched: await time(batched) }
        : { batched: await time(batched), plain: await time(plain) },
    );
  const moreUs = median(pairs.map((pair) => pair.batched - pair.plain));
  return {
    ...{ preset: id, conversations, sampleMs },
    plainUs: median(pairs.map((pair) => pair.plain)),
    batchedUs: median(pairs.map((pair) => pair.batched)),
    shareOfStep: (moreUs * conversations) / (1000 * sampleMs),
  };
}

export async function measureScoring(rounds: number): Promise<ScoringResult> {
  const measured: ScoringResult["presets"][number][] = [];
  for (const id of PRESETS) measured.push(await measureOne(id, rounds));
  return { presets: measured };
}
