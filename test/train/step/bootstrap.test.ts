// What follows a conversation that a limit cut off, with a critic: the value of where it stopped.
import { expect, it } from "vitest";
import { runConfigSchema } from "../../../src/protocol/config.ts";
import type { StopReason } from "../../../src/protocol/records.ts";
import type { Trajectory } from "../../../src/rl/types.ts";
import { cutOffValues } from "../../../src/train/step/critic.ts";
import { newSampledStep } from "../../../src/train/step/sampledStep.ts";
import { CUT_OFF, recordedStep } from "../../rl/recordedStep.ts";
import "../../support/kernels.ts";

const trajectory = (tokens: readonly number[], stopReason: StopReason): Trajectory => ({
  ...{ promptTokens: [7, 8], tokens, mask: tokens.map((_, t) => (t === 1 ? 0 : 1)), messages: [], stopReason },
  ...{ logprobs: tokens.slice(1).map(() => 0), entropies: tokens.slice(1).map(() => 0) },
});

it("is the value at the last token, whatever cut the conversation off, and 0 where it ended by itself", async () => {
  const stops: readonly StopReason[] = ["completed", "max-tokens", "max-turns", "max-context", "max-calls", "env-error", "parse-error"];
  const trajectories = stops.map((stop, i) => trajectory([1, 2, 10 + i], stop));
  const example = { id: "e", messages: [], answer: "" };
  const step = newSampledStep(1, [{ example, trajectories }], runConfigSchema.parse({}));
  const batches: number[] = [];
  // A critic that finds a token worth its id.
  const critic = {
    async score({ tokens_N, scoreRow_K }: { readonly tokens_N: Int32Array; readonly scoreRow_K: Int32Array }) {
      batches.push(scoreRow_K.length);
      return {
        logprobs_K: new Float32Array(scoreRow_K.length),
        entropies_K: null,
        values_K: Float32Array.from(scoreRow_K, (n) => tokens_N[n]!),
      };
    },
  };
  expect(Array.from(await cutOffValues(critic, step))).toEqual([0, 11, 12, 13, 0, 0, 0]);
  expect(batches).toEqual([3]);
});

const steady = { ...CUT_OFF, discount: 1, gaeLambda: 1 };

it("is part of what the tokens before it earned, and of nothing where it is not asked for", async () => {
  const { groups } = await recordedStep({ ...steady, bootstrapTruncated: true }, 4);
  let largest = 0;
  for (const { trajectories } of groups)
    for (const { channels, reward, bootstrap = 0 } of trajectories) {
      largest = Math.max(largest, Math.abs(bootstrap));
      for (const [t, advantage] of channels.advantages!.entries())
        expect(advantage).toBeCloseTo(reward! + bootstrap - channels.values![t]!, 5);
    }
  expect(largest).toBeGreaterThan(0.01);
  const off = await recordedStep(steady, 2);
  expect(off.groups.flatMap(({ trajectories }) => trajectories).every(({ bootstrap }) => bootstrap === undefined)).toBe(true);
});
