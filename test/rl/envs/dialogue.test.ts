import { expect, it } from "vitest";
import { singleTurnEnvs } from "../../../src/rl/envs/dialogue.ts";

const example = { id: "e", messages: [{ role: "user", content: "Hi" }], answer: "" } as const;
const action = { message: { role: "assistant", content: "Ho" } } as const;

it("a single-turn environment shows the example and is over after one action", () => {
  const env = singleTurnEnvs.build(example, 0);
  expect(env.start()).toEqual({ messages: example.messages });
  expect(env.step(action)).toBeNull();
  expect(() => env.step(action)).toThrow("internal: step on an environment that is over");
});

it("an environment serves one conversation only", () => {
  const env = singleTurnEnvs.build(example, 0);
  expect(() => env.step(action)).toThrow("internal: step on an environment that is new");
  env.start();
  expect(() => env.start()).toThrow("internal: an environment starts once");
});
