// An answer that is tried says of a number that no run takes what a run says of it.
import { expect, it } from "vitest";
import { triedReward } from "../../../src/rl/rewards/customReward.ts";
import type { Sandbox } from "../../../src/rl/sandbox/jobs.ts";

it("what is no finite number is told with the rule, in the place of a dash or an endless value", async () => {
  const sandbox = { run: async () => [1, Number.NaN, Number.POSITIVE_INFINITY, -2e9, null] } as unknown as Sandbox;
  const reward = { source: "", cases: [] } as unknown as Parameters<typeof triedReward>[0];
  expect(await triedReward(reward, [], 0, sandbox)).toEqual([
    1,
    { reason: "must be a finite number, got NaN" },
    { reason: "must be a finite number, got Infinity" },
    { reason: "must lie within ±1000000000, got -2000000000" },
    null,
  ]);
});
