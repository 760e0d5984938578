// A thing of one's own as a file: written and read back to the letter, whatever its code and its data say.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { contentName, isOwnFile, ownFileText, readOwnFile } from "../../../src/protocol/custom/ownFile.ts";
import { readOwnThing } from "../../../src/protocol/custom/ownThings.ts";

const reward = (source: string) =>
  readOwnThing("reward", "evens", { source, title: "Evens", options: { at: "*/ end" }, cases: [{ text: "2 */", earns: 1 }] });

describe("the file of a thing", () => {
  it("brings back code, options and cases to the letter, comment ends and line ends included", () => {
    const text = fc.string({ minLength: 1, maxLength: 200 }).map((body) => body.replaceAll("\r\n", "\n"));
    fc.assert(
      fc.property(text, (source) => {
        const thing = reward(source);
        expect(readOwnFile(ownFileText({ thing, data: null }))).toEqual({ thing, data: null });
      }),
      { numRuns: 300 },
    );
    const commented = reward("/* rollout-lab reward other\n{}\n*/\nexport const reward = () => 1; // no line end");
    expect(readOwnFile(ownFileText({ thing: commented, data: null }))?.thing).toEqual(commented);
  });

  it("brings the data that a task names, and refuses data that was changed", () => {
    const data = `${JSON.stringify({ question: "a */ b \\/ c", answer: "*\\/" })}\n`;
    const held = { sha256: contentName(data), name: "train.csv", rows: 1, answers: 1 };
    const thing = readOwnThing("task", "mine", { data: held, environment: { source: "export const step = () => {};\n", turns: 3 } });
    const text = ownFileText({ thing, data });
    expect(readOwnFile(text)).toEqual({ thing, data });
    expect(readOwnFile(text.replaceAll("\n", "\r\n"))).toEqual({ thing, data });
    expect(() => readOwnFile(text.replace("a *", "e *"))).toThrow("its data train.csv was changed");
  });

  it("is told from code of the command line, and a damaged one is refused in a sentence", () => {
    expect(isOwnFile("export const reward = () => 1;")).toBe(false);
    expect(readOwnFile("export const reward = () => 1;")).toBeNull();
    const text = ownFileText({ thing: reward("export const reward = () => 1;\n"), data: null });
    expect(() => readOwnFile(text.slice(0, -4))).toThrow("cut short");
    expect(() => readOwnFile(text.replace('"title"', "title"))).toThrow("must hold JSON");
    expect(() => readOwnFile(text.replace("lab reward", "lab rewart"))).toThrow("rewart");
    expect(() => readOwnFile(text.replace('"workMs": 50', '"workMs": 5000'))).toThrow("workMs must be <= 1000, got 5000");
  });
});
