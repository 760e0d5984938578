// A step of which one answer alone is whole, as a link may hold it: everything that is told of its tokens is what the whole step tells.
import { describe, expect, it } from "vitest";
import type { RunConfigInput } from "../../../../src/protocol/config.ts";
import { catalog } from "../../../../src/train/catalog.ts";
import { encodeGroups, groupsFile, readGroups } from "../../../../src/train/save/kept/groupFile.ts";
import { withBareAnswers } from "../../../../src/train/save/rollout/bareAnswers.ts";
import { stepStory, tokenStory } from "../../../../src/ui/step/explain/story/story.ts";
import { tellingPlace } from "../../../../src/ui/step/explain/story/telling.ts";
import { CUT_OFF, recordedStep } from "../../../rl/recordedStep.ts";
import "../../../support/kernels.ts";

const SMALL: RunConfigInput = { promptsPerStep: 2, groupSize: 4, backend: "wasm", threads: 1, learningRate: 1e-3 };
const RUNS: readonly (readonly [string, RunConfigInput])[] = [
  // A table has no critic.
  ...catalog.algorithms.map(({ id }) => [id, id === "ppo" ? CUT_OFF : { task: "digit-sum", algorithm: id }] as const),
  ["a KL in the reward", { task: "digit-sum", algorithm: "rloo", klCoef: 0.1, klPlacement: "reward" }],
  ["tokens of much entropy alone", { task: "digit-sum", algorithm: "grpo", topEntropyQuantile: 0.4 }],
  ["a game whose turns earn", { task: "tic-tac-toe", algorithm: "grpo", credit: "turn" }],
];

describe.each(RUNS)("one whole answer under %s", (_, config) => {
  it("has the numbers of every token, to the digits that are shown", async () => {
    const whole = await recordedStep({ ...SMALL, ...config }, 2);
    const { promptIndex, trajectoryIndex } = tellingPlace(whole);
    for (const amount of ["group", "answer"] as const) {
      const bare = withBareAnswers(whole, { step: whole.step, promptIndex, trajectoryIndex }, amount);
      const read = await readGroups(await groupsFile(whole.step, encodeGroups(bare, whole.config)!), whole.step, whole.config);
      const [before, after] = [stepStory(whole), stepStory({ ...read, oldestStep: 0 })];
      const { tokens } = whole.groups[promptIndex]!.trajectories[trajectoryIndex]!;
      for (const t of tokens.keys()) {
        const [a, b] = [before, after].map((story) => {
          const { facts, trained, terms, criticReturn, update, trajectory } = tokenStory(story, promptIndex, trajectoryIndex, t)!;
          const shown = {
            ...update,
            gradient: update?.gradient.toPrecision(6),
            policyPart: update?.policyPart.toPrecision(6),
            policyLoss: 0,
          };
          return { facts, trained, terms, criticReturn, trajectory, update: shown };
        });
        expect(b).toEqual(a);
      }
      expect(after.step.groups.map(({ trajectories }) => trajectories.map(({ reward, advantage }) => [reward, advantage]))).toEqual(
        whole.groups.map(({ trajectories }) => trajectories.map(({ reward, advantage }) => [reward, advantage])),
      );
      expect(tellingPlace({ ...read, oldestStep: 0 })).toMatchObject({ promptIndex, trajectoryIndex });
    }
  }, 60_000);
});
