import { describe, expect, it } from "vitest";
import { channelLevel, channelsOf, tokenChannel } from "../../../../src/ui/step/tokens/channels.ts";
import { scaleLimit } from "../../../../src/ui/step/tokens/colourScale.ts";
import type { TokenFacts } from "../../../../src/ui/step/tokens/tokenFacts.ts";

const withRatio = (ratio: number | null) => ({ ratio }) as TokenFacts;
const levels = (ratios: readonly (number | null)[]) => ratios.map((ratio) => channelLevel(tokenChannel("ratio"), withRatio(ratio)));

describe("the colour of a ratio", () => {
  it("takes rounding errors for 1", () => {
    expect(levels([1, 1 + 1e-6, 1 - 2e-6, null])).toEqual([0, 0, 0, null]);
    expect(scaleLimit(levels([1 + 1e-6, 1 - 2e-6]))).toBe(0);
  });

  it("is the logarithm of what is more than that", () => {
    expect(levels([1.2, 0.8])).toEqual([Math.log(1.2), Math.log(0.8)]);
  });
});

it("entropies are channels where the model tells them alone", () => {
  const ids = (tellsEntropies: boolean) => channelsOf([{ criticValue: null, tellsEntropies } as TokenFacts]).map(({ id }) => id);
  expect(ids(true)).toEqual(expect.arrayContaining(["entropy", "train-entropy"]));
  expect(ids(false)).toEqual(ids(true).filter((id) => id !== "entropy" && id !== "train-entropy"));
});

describe("the channels of a critic", () => {
  const ids = (criticValue: number | null) => channelsOf([{ criticValue } as TokenFacts]).map(({ id }) => id);

  it("are there where it has values, with up and down from 0", () => {
    expect(ids(0.4)).toEqual(expect.arrayContaining(["value", "td-error"]));
    expect(ids(null)).not.toEqual(expect.arrayContaining(["value"]));
    expect(ids(null)).toEqual(ids(0.4).filter((id) => id !== "value" && id !== "td-error"));
    for (const id of ["value", "td-error"]) expect(tokenChannel(id).scale).toBe("diverging");
    expect(channelLevel(tokenChannel("td-error"), { tdError: -0.2 } as TokenFacts)).toBe(-0.2);
  });
});
