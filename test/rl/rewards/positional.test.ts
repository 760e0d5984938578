// Rewards that take their arguments one after another, as other labs call them.
import { expect, it } from "vitest";
import { positionalReward } from "../../../src/rl/rewards/customReward.ts";
import { templates } from "../../../src/rl/templates/index.ts";
import { rewardStarters } from "../../../src/ui/make/customize/reward/starters.ts";

it.each([
  "export function reward(text, answer) { return text.includes(answer) ? 1 : 0; }",
  "export function reward(text: string, answer: string): number {\n  return text === answer ? 1 : 0;\n}",
  "export default function (completion) { return completion.length; }",
  "export const reward = (prompt, completion) => completion.length;",
  "export async function reward(response: string) { return 0; }",
])("tells what a reward is called with: %s", (source) => {
  expect(positionalReward(source)).toContain("A reward is called with one object");
});

it.each([
  "export function reward({ text, answer }) { return text.includes(answer) ? 1 : 0; }",
  "export function reward(conversation, { options }) { return conversation.text.length; }",
  "export function reward(text) { return text.text.length; }",
  "export function reward(answer) { const { text } = answer; return text.length; }",
  "export const reward = ({ text }) => text.length;",
  "export function reward(",
])("is silent about %s", (source) => {
  expect(positionalReward(source)).toBeNull();
});

it("is silent about every starter and every template", () => {
  const sources = templates.flatMap(({ config, diagnosis }) => Object.values({ ...config.customRewards, ...diagnosis?.mended }));
  for (const { source } of [...rewardStarters, ...sources]) expect(positionalReward(source)).toBeNull();
});
