import { describe, expect, it } from "vitest";
import { rowTexts } from "../../../../src/ui/rollouts/group/rowTexts.ts";

const said = (...texts: readonly string[]) => rowTexts(texts.map((text) => ({ pieces: [text], sampled: [1] })));

describe("the lines of a group", () => {
  it("are the completions, spaces visible and marks left out", () => {
    expect(rowTexts([{ pieces: ["<answer>", "4", " 2", "</answer>", "<|im_end|>"], sampled: [1, 1, 1, 1, 1] }])).toEqual(["4␣2"]);
  });

  it("are what the policy said in its turns, without what it was told between them", () => {
    const pieces = ["adi", "<|im_end|>", "user", "0 in place", "assistant", "<answer>", "mi", "t", "<|im_end|>"];
    expect(rowTexts([{ pieces, sampled: [1, 1, 0, 0, 0, 1, 1, 1, 1] }])).toEqual(["adi → mit"]);
  });

  it("leave out a long beginning that all share, and keep a little of it", () => {
    const call = '{"name":"calculate","arguments":{"expression":"';
    expect(said(`${call}1+2"}}`, `${call}1-2"}}`, `${call}1+2"}}`)).toEqual(['…on":"1+2"}}', '…on":"1-2"}}', '…on":"1+2"}}']);
  });

  it("are whole where the beginning is short, where all are equal and where one is alone", () => {
    expect(said("the sum is 12", "the sum is 13")).toEqual(["the␣sum␣is␣12", "the␣sum␣is␣13"]);
    const long = "one and the same long answer";
    expect(said(long, long)[0]).toBe("one␣and␣the␣same␣long␣answer");
    expect(said(long)[0]).toBe("one␣and␣the␣same␣long␣answer");
  });

  it("show where a completion ends that is the beginning of the others", () => {
    expect(said("abcdefghijklmnopqrstuv", "abcdefghijklmnopqrstuvwxyz")).toEqual(["…qrstuv", "…qrstuvwxyz"]);
  });

  it("hold 160 characters at most", () => {
    expect(said("x".repeat(400))[0]).toHaveLength(160);
  });
});
