// Arguments as a language model gives them: every kind, what may be left out, and the few values that one may have.
import { describe, expect, it } from "vitest";
import { defineTool } from "../../../src/rl/tools/tool.ts";

const tool = defineTool({
  name: "book",
  description: "Books a table.",
  parameters: {
    guests: "number",
    name: { kind: "string", description: "Who comes." },
    meal: { kind: "string", choices: ["lunch", "dinner"] },
    outside: { kind: "boolean", optional: true },
    dishes: { kind: "array", items: "string", optional: true },
    wishes: { kind: "object", optional: true },
  },
  run({ guests, name, meal, outside = false, dishes = [], wishes = {} }) {
    return { content: [name, guests, meal, outside, dishes.length, Object.keys(wishes).length].join(" ") };
  },
});
const whole = { guests: 2, name: "Ada", meal: "lunch" };

describe("arguments of a tool", () => {
  it("are told as a JSON schema", () => {
    expect(tool.spec.parameters).toEqual({
      type: "object",
      properties: {
        guests: { type: "number" },
        name: { type: "string", description: "Who comes." },
        meal: { type: "string", enum: ["lunch", "dinner"] },
        outside: { type: "boolean" },
        dishes: { type: "array", items: { type: "string" } },
        wishes: { type: "object" },
      },
      required: ["guests", "name", "meal"],
    });
  });

  it("reach the tool, those that may be left out or not", () => {
    expect(tool.call(whole).content).toBe("Ada 2 lunch false 0 0");
    expect(tool.call({ ...whole, outside: true, dishes: ["soup"], wishes: { salt: false } }).content).toBe("Ada 2 lunch true 1 1");
  });

  it.each([
    [{ guests: 2, name: "Ada" }, "book needs meal"],
    [{ ...whole, guests: "2" }, "guests must be a number"],
    [{ ...whole, meal: "tea" }, "meal must be lunch or dinner"],
    [{ ...whole, outside: "yes" }, "outside must be a boolean"],
    [{ ...whole, dishes: { first: "soup" } }, "dishes must be an array"],
    [{ ...whole, dishes: ["soup", 3] }, "dishes must hold strings alone"],
    [{ ...whole, wishes: ["salt"] }, "wishes must be an object"],
    [{ ...whole, wishes: null }, "wishes must be an object"],
    [{ ...whole, tip: 3 }, "book takes no tip"],
  ])("that do not fit are answered with a sentence: %j", (given, sentence) => {
    expect(tool.call(given)).toEqual({ content: sentence, failed: true });
  });
});
