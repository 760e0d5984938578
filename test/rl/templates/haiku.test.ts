// The syllable counter of the haiku template against counts from a dictionary.
import { expect, it } from "vitest";
import { reward, syllables } from "../../../examples/templates/haiku.ts";

const COUNTS: Readonly<Record<number, string>> = {
  1: "cat the sea friend square moon rain snow wind leaves made walked rides breeze sky eyes here they frost stone clouds night spring sun through light pond jumps",
  2: "patient table waited boxes quiet poem lion nation special ocean autumn whisper silent moonlight gently raindrops purple little apples flowers river dancing nature being places changes people science secret cruel morning garden mountain summer candle city again splashes",
  3: "idea beautiful delicious evening horizon curious melody butterfly yesterday gathering",
  4: "society january",
  5: "imagination",
};

const words = Object.entries(COUNTS).flatMap(([count, text]) => text.split(" ").map((word) => [word, Number(count)] as const));
it.each(words)("%s has %i", (word, count) => {
  expect(syllables(word)).toBe(count);
});

it("counts nothing where there are no letters", () => {
  expect(syllables("—")).toBe(0);
  expect(syllables("123")).toBe(0);
});

it("pays a whole haiku in full, each syllable too many less, and a fourth line less still", () => {
  const right = "An old silent pond\nA frog jumps into the pond\nSplash silence again";
  expect(reward({ text: right })).toBe(1);
  const longer = reward({ text: right.replace("old", "old old") });
  expect(longer).toBeLessThan(1);
  expect(longer).toBeGreaterThan(0.8);
  expect(reward({ text: `${right}\nthe end` })).toBeLessThan(longer);
});
