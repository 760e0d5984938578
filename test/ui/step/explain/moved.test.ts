// What moved a token, in words: every number is one that was measured.
import { describe, expect, it } from "vitest";
import type { Attribution } from "../../../../src/protocol/asked.ts";
import { runConfigSchema } from "../../../../src/protocol/config.ts";
import { movedQuestion, movedSentence, shareLines } from "../../../../src/ui/step/explain/moved/sharesOf.ts";

const config = runConfigSchema.parse({ optimizer: "adamw" });
const found: Attribution = {
  ...{ step: 3, promptIndex: 0, trajectoryIndex: 1, tokenIndex: 2, from: "before", optimizerSteps: 1 },
  ...{ old: Math.log(0.2), change: Math.log(1.5), own: -0.3, sameAnswer: 0.1, sameGroup: 0.4, otherGroups: 0, momentum: 0.2 },
  ...{ decay: 0, others: 0, rest: Math.log(1.5) - 0.4, sameToken: { count: 3, nats: 0.25 }, tokens: [], answers: [] },
};

describe("what moved a token", () => {
  it("is asked as its movement raises it", () => {
    expect(movedQuestion(-0.1, 0.3)).toBe("Why did it rise although it was pushed down?");
    expect(movedQuestion(0.1, -0.3)).toBe("Why did it fall although it was pushed up?");
    for (const [push, change] of [
      [0.1, 0.3],
      [0, 0.3],
      [0.1, null],
    ] as const)
      expect(movedQuestion(push, change)).toBe("What moved this token?");
  });

  it("is told with what outweighed its own push, the same token elsewhere and Adam's momentum", () => {
    const sentence = movedSentence(found, config);
    expect(sentence).toContain("From 20 % to 30 %: its log-prob went from −1.609 to −1.204, a change of +0.405 nats.");
    expect(sentence).toContain("Its own push alone would have moved it by −0.300 nats.");
    expect(sentence).toContain("The strongest force the other way is “Pushes on the other answers to this prompt” (+0.400).");
    expect(sentence).toContain("The same token is pushed at 3 other places, which moved this one by +0.250 nats.");
    expect(sentence).toMatch(/Adam’s momentum is 20 % of all that moved it/);
    expect(movedSentence({ ...found, momentum: 0 }, config)).toContain("Adam had no momentum of earlier steps yet.");
    expect(movedSentence(found, { ...config, optimizer: "sgd" })).not.toContain("Adam");
  });

  it("keeps a movement's shares in proportion, however small it was", () => {
    const tiny = Object.fromEntries(
      Object.entries(found).map(([key, value]) => [key, typeof value === "number" && key !== "old" ? value * 1e-6 : value]),
    ) as unknown as Attribution;
    expect(movedSentence(tiny, config)).toMatch(/Adam’s momentum is 20 % of all that moved it/);
    expect(shareLines(tiny, config).map(({ id }) => id)).toEqual(["own", "sameAnswer", "sameGroup", "momentum", "small"]);
    const byMomentum = { ...tiny, own: 2e-9, sameAnswer: 0, sameGroup: 0, momentum: -8e-6, change: -8e-6, rest: 0 };
    expect(movedSentence(byMomentum, config)).toMatch(/Adam’s momentum is (99\.\d|> 99\.9|100) % of all that moved it/);
    expect(shareLines(byMomentum, config).map(({ id }) => id)).toEqual(["own", "momentum"]);
  });

  it("is made of lines that add up to the change, without those that are nothing", () => {
    const lines = shareLines(found, config);
    expect(lines.reduce((sum, { nats }) => sum + nats, 0)).toBeCloseTo(found.change, 3);
    expect(lines.map(({ id }) => id)).toEqual(["own", "sameAnswer", "sameGroup", "momentum", "rest"]);
    const shared = runConfigSchema.parse({ advantageBaseline: "critic", criticTrunk: "shared", entropyCoef: 0.1 });
    expect(shareLines({ ...found, others: 0.1 }, shared).find(({ id }) => id === "others")?.title).toBe(
      "The entropy bonus and the critic’s own loss",
    );
  });
});
