// Sentences about what is wrong name the field, the rule and the value, and stay short whatever was given.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { commandSchema } from "../../src/protocol/commands.ts";
import { InputError, parseOrThrow, showValue } from "../../src/protocol/problems.ts";
import { catalog } from "../../src/train/catalog.ts";
import { resolveInput } from "../../src/ui/engine/store/draft/draftConfig.ts";
import { draftFromQuery } from "../../src/ui/engine/store/draft/draftQuery.ts";
import { resolveConfig } from "../support/resolveConfig.ts";

const MARK = "√";
/** Characters of a message that came from what was given, which is made of marks. */
const repeated = (message: string) => message.split(MARK).length - 1;
const long = MARK.repeat(20_000);

function messageOf(act: () => unknown): string {
  try {
    act();
  } catch (error) {
    if (error instanceof InputError) return error.message;
    throw error;
  }
  throw new Error("nothing was refused");
}

const resolve = (input: unknown) => messageOf(() => resolveConfig(input, catalog.tasks, catalog.algorithms));
const entries = (value: unknown) => Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`${long}${i}`, value]));

describe("a message", () => {
  it.each([
    ["one long value", { task: long }],
    ["a long name of a field", { [long]: 1 }],
    ["many long names", entries(1)],
    ["long values of many fields", Object.fromEntries(catalog.fields.map(({ key }) => [key, long]))],
    ["a value far inside", { taskOptions: { a: [[{ b: [long] }]] } }],
    ["long names and values of options", { taskOptions: entries([long]) }],
    ["long names of rewards", { rewardWeights: entries(1) }],
    ["long names and values of rewards", { rewardWeights: entries(long) }],
    ["a long list", { taskOptions: Array.from({ length: 10_000 }, () => long) }],
    ["a configuration that is a text", long],
  ])("repeats at most 200 characters of %s", (_what, input) => {
    const message = resolve(input);
    expect(repeated(message)).toBeLessThanOrEqual(200);
    expect(message.length).toBeLessThan(1500);
  });

  it("repeats as little of a command, of an option in the form and of an address", () => {
    const command = messageOf(() => parseOrThrow(commandSchema, { id: 0, type: "start", runId: long, config: {}, [long]: long }));
    const { problems } = resolveInput(catalog, { task: "digit-sum", taskOptions: { [long]: long } });
    const address = new URLSearchParams([
      ["preset", long],
      ...Array.from({ length: 40 }, (_, i) => [`${long}${i}`, long] as [string, string]),
    ]);
    const { problem } = draftFromQuery(catalog, address);
    for (const message of [command, ...problems.map((each) => each.message), problem ?? ""]) {
      expect(repeated(message)).toBeGreaterThan(0);
      expect(repeated(message)).toBeLessThanOrEqual(200);
    }
  });

  it("lists three problems and counts the others", () => {
    expect(resolve({ a: 1, b: 1, c: 1, d: 1, e: 1 })).toBe('unknown field "a"; unknown field "b"; unknown field "c"; and 2 more');
  });

  it("tells lengths as characters or entries, and how long what was given is", () => {
    const parse = (schema: z.ZodType, value: unknown) => messageOf(() => parseOrThrow(z.object({ name: schema }), { name: value }));
    expect(parse(z.string().max(80), "x".repeat(81))).toBe("name must have at most 80 characters, got 81 characters");
    expect(parse(z.string().min(1), "")).toBe('name must have at least 1 character, got ""');
    expect(parse(z.array(z.int()).max(2), [1, 2, 3])).toBe("name must have at most 2 entries, got 3 entries");
    expect(parse(z.array(z.int()).min(1), [])).toBe("name must have at least 1 entry, got []");
    expect(parse(z.number().max(2), 3)).toBe("name must be <= 2, got 3");
    expect(parse(z.object({}), 3)).toBe("name must be an object, got 3");
    expect(resolve({ checkpoint: "x".repeat(201) })).toBe("checkpoint must have at most 200 characters, got 201 characters");
  });
});

describe("a value in a message", () => {
  it("is its JSON where that is short", () => {
    const plain = fc.jsonValue({ maxDepth: 3 }).filter((value) => JSON.stringify(value).length <= 60);
    fc.assert(fc.property(plain, (value) => showValue(value) === JSON.stringify(value)));
  });

  it("is never longer than 60 characters, nor fails, whatever it is", () => {
    const circle: Record<string, unknown> = { name: "circle" };
    circle.self = circle;
    const odd = [circle, 10n ** 500n, { deep: 1n }, Symbol("x"), () => 1, new Float32Array(1e6), new Map(), undefined, Number.NaN];
    for (const value of odd) expect(showValue(value).length).toBeLessThanOrEqual(60);
    fc.assert(
      fc.property(fc.anything({ withBigInt: true, withMap: true, withTypedArray: true }), (value) => showValue(value).length <= 60),
    );
  });

  it("is named where it has no JSON", () => {
    expect(showValue(() => 4)).toBe("a function");
    expect(showValue(new Date(0))).toBe("[object Date]");
    expect(showValue({ size: 4n })).toBe('{"size":4}');
  });
});
