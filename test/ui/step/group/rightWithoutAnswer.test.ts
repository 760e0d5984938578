// What is said of a group whose prompt has no answer.
import { expect, it } from "vitest";
import { planRun } from "../../../../src/train/start/plan.ts";
import { rightWithoutAnswer } from "../../../../src/ui/step/group/groupShape.ts";

const own = (more: object) => ({ mine: { title: "Mine", problems: [{ question: "Name a fruit." }], ...more } });
const reward = { short: { title: "Short", source: "export function reward({ text }) { return text.length < 9 ? 1 : 0; }" } };

it("without an answer right is what earns enough, where the task is somebody's own prompts", () => {
  const { config } = planRun({ config: { task: "mine", customTasks: own({ solvedFrom: 0.8 }), customRewards: reward } });
  expect(rightWithoutAnswer(config)).toBe("No answer is expected: right is what earns 0.800 or more");
});

it("without an answer a task of the lab says itself what is right", () => {
  const { config } = planRun({ config: { task: "tic-tac-toe" } });
  expect(rightWithoutAnswer(config)).toBe("No one answer is expected");
});
