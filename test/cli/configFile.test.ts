// Files of settings that cannot be read: told with the place and in words about the file, not about the parser.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { planFile, readConfigFile, readSetting, withSettings } from "../../src/cli/training/configFile.ts";

const folder = mkdtempSync(join(tmpdir(), "config-file-"));
afterAll(() => rmSync(folder, { recursive: true }));

const NESTED = `${"[".repeat(30_000)}${"]".repeat(30_000)}`;
const GROWN = [..."abcde"].map((key, i) => `${key}: &${key} [${Array(9).fill(i === 0 ? "x" : `*${"abcde"[i - 1]}`)}]\n`).join("");

it.each([
  ["two documents", "task: digit-sum\n---\ntask: gcd\n", /:2: must be one document, without a line of three dashes after settings$/],
  ["lists in lists without end", `taskOptions: ${NESTED}\n`, /:1: lists and maps must not lie this deep in each other$/],
  ["aliases that multiply", GROWN, /: its aliases \(\*name\) cannot be spelled out: /],
  ["a list as a key", "[a]: 1\n", /:1: a key must be a name, no list or map$/],
  ["a key twice", "task: gcd\ntask: gcd\n", /:2: Map keys must be unique$/],
])("%s in a file of settings are named", async (_, text, sentence) => {
  const path = join(folder, "own.yaml");
  writeFileSync(path, text);
  await expect(readConfigFile(path)).rejects.toThrow(sentence);
});

it("a reward transform that is named by its file is the text in it", async () => {
  const source = "export const transform = ({ members, member }) => members[member].total;\n";
  writeFileSync(join(folder, "transform.mjs"), source);
  const path = join(folder, "transformed.yaml");
  writeFileSync(path, "task: digit-sum\nrewardTransform: ./transform.mjs\n");
  expect((await readConfigFile(path)).input.rewardTransform).toEqual({ source });
  writeFileSync(path, "task: digit-sum\nrewardTransform: normalise\n");
  await expect(readConfigFile(path)).rejects.toThrow(
    'rewardTransform must be a file, such as ./transform.mjs, or have a source, got "normalise"',
  );
  writeFileSync(path, "task: digit-sum\nrewardTransform: ./none.mjs\n");
  await expect(readConfigFile(path)).rejects.toThrow(/none\.mjs/);
});

it.each(["", "{}\n", "# Nothing yet.\n", "steps: 4\n", "kind: supervised\n"])(
  "%j is refused: it says nothing of what is trained",
  async (text) => {
    const path = join(folder, "untold.yaml");
    writeFileSync(path, text);
    const file = await readConfigFile(path);
    expect(() => planFile(file)).toThrow(`${path} must have a task, such as "task: digit-sum", or a preset or data`);
    expect(planFile(withSettings(file, [readSetting("task=gcd")])).config.task).toBe("gcd");
  },
);

it("a field that two options set to two values is refused, and named by both", async () => {
  const path = join(folder, "plain.yaml");
  writeFileSync(path, "task: digit-sum\n");
  const file = await readConfigFile(path);
  const both = (...words: readonly string[]) =>
    withSettings(file, [...words.map(readSetting), { field: "seed", value: 3, option: "--seed" }]);
  expect(() => both("steps=4", "steps=5")).toThrow("steps is given twice, 4 by --set steps and 5 by --set steps");
  expect(() => both("seed=4")).toThrow("seed is given twice, 4 by --set seed and 3 by --seed");
  expect(both("seed=3", "steps=4", "steps=4").input).toMatchObject({ seed: 3, steps: 4 });
});

it("a field that an option spoilt is told with the option, of the field, of what holds it or of a part of it", async () => {
  const path = join(folder, "set.yaml");
  writeFileSync(path, "task: mixture\nmodel: transformer\ntaskOptions:\n  mistakes: 1\n");
  const file = await readConfigFile(path);
  const place = (word: string, field: string) => withSettings(file, [readSetting(word)]).whereIs(field);
  expect(place("groupSize=1", "groupSize")).toBe("--set groupSize");
  expect(place("taskOptions={mistakes: 3}", "taskOptions.mistakes")).toBe("--set taskOptions");
  expect(place("model.x=3", "model")).toBe("--set model.x");
  expect(place("model.x=3", "taskOptions.mistakes")).toBe(`${path}:4`);
});
