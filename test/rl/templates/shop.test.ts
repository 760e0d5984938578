// The shop of the templates: what each of its two tools says and earns, and what is not paid for.
import { describe, expect, it } from "vitest";
import { draw, start, step } from "../../../examples/templates/shop.ts";
import { Random } from "../../../src/rl/random.ts";

const problem = { question: "Buy a lamp.", answer: "23" };
const say = (text: string, told = false) => step({ text, problem, state: { told } });

describe("the shop", () => {
  it("draws a thing and a price from 1 to 40", () => {
    const random = new Random(3);
    const drawn = Array.from({ length: 200 }, () => draw({ random }));
    for (const { question, answer } of drawn) {
      expect(question).toMatch(/^Buy a [a-z]+\.$/);
      expect(Number(answer)).toBeGreaterThanOrEqual(1);
      expect(Number(answer)).toBeLessThanOrEqual(40);
    }
    expect(new Set(drawn.map(({ question }) => question)).size).toBe(20);
  });

  it("pays a quarter for the price of the right thing, once, and the rest for paying it", () => {
    expect(start()).toEqual({ state: { told: false } });
    expect(say("PRICE lamp")).toEqual({ say: "It costs 23 coins.", state: { told: true }, reward: 0.25 });
    expect(say("PRICE lamp", true)).toEqual({ say: "It costs 23 coins.", state: { told: true } });
    expect(say("PAY 23", true)).toEqual({ done: true, reward: 0.75, success: true });
  });

  it("pays nothing for another thing, another amount, a guess, or words beside a call", () => {
    expect(say("PRICE drum")).toEqual({ say: "There is no drum here.", state: { told: false } });
    for (const text of ["PAY 23", "PAY lamp", "PRICE lamp PAY 23", "Sure! PAY 23", ""])
      expect(say(text)).toEqual({ done: true, reward: 0, success: false });
    expect(say("PAY 22", true)).toEqual({ done: true, reward: 0, success: false });
  });
});
