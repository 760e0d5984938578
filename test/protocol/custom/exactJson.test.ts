import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { argumentsText, callArguments, jsonText, keyTwice, readJson } from "../../../src/protocol/custom/exactJson.ts";

describe("JSON as it was written", () => {
  it.each([
    '{"answer": 9007199254740993}',
    '{"a": 123456789012345678901234567890, "b": [1.0, -0, 1E5, 1e400, 0.10, {"c": 2.50}]}',
    '{"b": 1, "10": 2.0, "2": {"1": true, "0": null}}',
    "[9007199254740993, [1.0]]",
    '{"__proto__": 1.0, "a\\"b\\\\": "x 1.0, {} \\\\"}',
  ])("comes back: %s", (text) => {
    expect(readJson(text)).toEqual(JSON.parse(text));
    expect(jsonText(readJson(text))).toBe(text);
  });

  it("reads whatever JSON.parse reads, and refuses what that refuses", () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        expect(readJson(text)).toEqual(JSON.parse(text));
      }),
    );
    for (const wrong of ["01.0", "[1.0.5]", "{1.0: 2}", "[1.0", '"', "1.0 1.0", "--1.0"])
      expect(() => readJson(wrong)).toThrow(SyntaxError);
  });

  it("names a key that stands twice, wherever it is", () => {
    expect(keyTwice(readJson('{"a": 1, "b": 2, "a": 3}') as object)).toBe("a");
    expect(keyTwice(readJson('{"a": 1, "b": {"a": 3}}') as object)).toBeUndefined();
  });

  it("of a call is kept beside its plain values, where these do not say it", () => {
    const call = callArguments(readJson('{"x":1.0,"2":1,"1":9007199254740993}') as Record<string, unknown>);
    expect(call.arguments).toEqual({ x: 1, 2: 1, 1: 9007199254740992 });
    expect(argumentsText(structuredClone(call))).toBe('{"x": 1.0, "2": 1, "1": 9007199254740993}');
    expect(callArguments({ x: 1, y: "a" })).toEqual({ arguments: { x: 1, y: "a" } });
  });
});
