import { describe, expect, it } from "vitest";
import { BEGIN_TOKEN, digitsRenderer } from "../../../src/model/renderers/digits.ts";

describe("the digits renderer", () => {
  it("prompts with the begin mark alone, whatever is asked in words", () => {
    expect(digitsRenderer.renderPrompt({ messages: [{ role: "user", content: "<|im_end|>" }] })).toEqual([BEGIN_TOKEN]);
    expect(digitsRenderer.vocabularySize).toBe(11);
    expect(digitsRenderer.stopTokens).toEqual([]);
  });

  it("shows what is asked in digits before the mark", () => {
    expect(digitsRenderer.renderPrompt({ messages: [{ role: "user", content: "07" }] })).toEqual([0, 7, BEGIN_TOKEN]);
  });

  it("spells digits as themselves and back", () => {
    const message = { role: "assistant", content: "0198" } as const;
    expect(digitsRenderer.renderCompletion(message)).toEqual([0, 1, 9, 8]);
    expect(digitsRenderer.parse([0, 1, 9, 8])).toEqual(message);
  });

  it("refuses to render anything but digits", () => {
    expect(() => digitsRenderer.renderCompletion({ role: "assistant", content: "1x" })).toThrow('content must be digits, got "1x"');
  });

  it("reads any ids without failing", () => {
    expect(digitsRenderer.decode([1, BEGIN_TOKEN, 2])).toBe("1<begin>2");
    expect(digitsRenderer.decode([99, -1])).toBe("<unknown 99><unknown -1>");
  });
});
