import { describe, expect, it } from "vitest";
import { createChatRenderer } from "../../../src/model/renderers/chat.ts";
import { Random } from "../../../src/rl/random.ts";
import { workOut } from "../../../src/rl/rollout/demonstration.ts";
import { guessNumber } from "../../../src/rl/tasks/games/guessNumber.ts";
import { mixTasks } from "../../../src/rl/tasks/mixture.ts";
import { calculator } from "../../../src/rl/tasks/tools/calculator.ts";
import { labTokenizer } from "../../model/renderers/tokenizerFixture.ts";

const renderer = createChatRenderer(labTokenizer());
const [sums, guesses] = [calculator.create({}, 3), guessNumber.create({}, 3)];
const mixed = mixTasks(
  [
    { instance: sums, share: 1, noise: 0 },
    { instance: guesses, share: 3, noise: 1 },
  ],
  5,
);
const isSum = (id: string) => id.startsWith("0/calculator/");

describe("a mixture of tasks", () => {
  it("draws each task's own training problems in the asked shares", () => {
    const examples = mixed.trainLoader().next(800);
    const share = examples.filter(({ id }) => isSum(id)).length / examples.length;
    expect(Math.abs(share - 0.25)).toBeLessThan(0.04);
    const own = new Set(
      guesses
        .trainLoader()
        .next(800)
        .map(({ id }) => `1/${id}`),
    );
    for (const { id } of examples) expect(isSum(id) || own.has(id)).toBe(true);
  });

  it("goes on from a saved position", () => {
    const loader = mixed.trainLoader();
    loader.next(37);
    const state = loader.state();
    const expected = loader.next(20);
    const again = mixed.trainLoader();
    again.restore(state);
    expect(again.next(20)).toEqual(expected);
  });

  it("works each task out as the task itself does, with its own noise and its own limit of turns", () => {
    const random = new Random(1);
    for (const example of mixed.trainLoader().next(100)) {
      const speaker = mixed.demonstration(example, random, 1);
      const trajectory = workOut({ envs: mixed.envs, renderer }, example, speaker, 7, { maxTurns: mixed.maxTurns!, maxPositions: 1024 });
      expect(mixed.hasForm(example, trajectory)).toBe(true);
      // The calculator is never used wrongly, and no number is ever guessed.
      expect(mixed.isSuccess(example, trajectory)).toBe(isSum(example.id));
      expect(trajectory.report?.turns).toHaveLength(isSum(example.id) ? 2 : guesses.maxTurns!);
    }
  });

  it("holds out problems of every task, none of which is trained on", () => {
    const held = mixed.evaluation(40).map(({ id }) => id);
    expect(held.filter(isSum)).toHaveLength(20);
    const trained = new Set(
      mixed
        .trainLoader()
        .next(500)
        .map(({ id }) => id),
    );
    for (const id of held.filter(isSum)) expect(trained.has(id)).toBe(false);
  });
});
