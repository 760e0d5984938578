// A reward and a task in the files that the page saves, and data by its SHA-256, through the built program.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { contentName, ownFileText } from "../../../src/protocol/custom/ownFile.ts";
import { readOwnThing } from "../../../src/protocol/custom/ownThings.ts";
import { contentOf } from "../../../src/rl/data/rows/bringData.ts";
import { type Found, facts, fails, type Summary, temporaryFolder } from "./program.ts";

const folder = temporaryFolder();
const { at, alone } = folder;
const file = (name: string, text: string) => writeFileSync(join(folder.path, name), text);
const metricsOf = (run: string) =>
  readFileSync(join(folder.path, run, "metrics.jsonl"), "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line).reward as number);
afterAll(folder.remove);

const TABLE = "task: digit-sum\nmodel: tabular\nalgorithm: builtin\nsteps: 3\nevalEvery: 0\n";
const SHORT = "steps: 2\npromptsPerStep: 2\ngroupSize: 2\nevalEvery: 0\nevalProblems: 2\nmaxCompletionTokens: 8\n";

const SOURCE = `export function reward({ text }: { text: string }, { options, random }): number {
  return Number(text) * options.scale + random.uniform();
}
`;
const reward = readOwnThing("reward", "scaled", {
  source: SOURCE,
  options: { scale: 0.5 },
  cases: [{ text: "2", earns: { min: 1, max: 2 } }],
});

describe("a reward in the file that the page saves", () => {
  it("is trained with its options and cases, as a configuration that holds it is, to the bit", async () => {
    file("scaled.ts", ownFileText({ thing: reward, data: null }));
    file("named.yaml", `reward: ./scaled.ts:reward\n${TABLE}`);
    file("plain.yaml", `reward: ./scaled.ts\n${TABLE}`);
    file(
      "held.json",
      JSON.stringify({
        ...{ task: "digit-sum", model: "tabular", algorithm: "builtin", steps: 3, evalEvery: 0 },
        customRewards: { scaled: reward.content },
        rewardWeights: { sumCloseness: 0 },
      }),
    );
    for (const name of ["named.yaml", "plain.yaml", "held.json"]) await facts<Summary>(["train", name, "--out", `runs/${name}`], at);
    expect(metricsOf("runs/named.yaml")).toEqual(metricsOf("runs/held.json"));
    expect(metricsOf("runs/plain.yaml")).toEqual(metricsOf("runs/held.json"));
    const config = JSON.parse(readFileSync(join(folder.path, "runs/named.yaml/config.json"), "utf8"));
    expect(config.customRewards.scaled).toEqual(reward.content);
  });

  it("is refused where one of its cases is not met, and where it holds something else", async () => {
    const broken = readOwnThing("reward", "scaled", { ...reward.content, cases: [{ text: "2", earns: 9 }] });
    file("broken.ts", ownFileText({ thing: broken, data: null }));
    file("broken.yaml", `reward: ./broken.ts\n${TABLE}`);
    await fails(["train", "broken.yaml"], at, 1, /"2" must earn 9, got 1/);
    file("swapped.yaml", `task: ./scaled.ts\n${TABLE.replace("task: digit-sum\n", "")}`);
    await fails(["train", "swapped.yaml"], at, 1, /it holds a reward, and task must name a task/);
  });

  it("runs in place where it is code alone, and is handed a generator beside the conversation", async () => {
    file(
      "own.ts",
      "export function mine({ text }: { text: string }, { random }: { random: { uniform(): number } }): number {\n  return text.length + random.uniform();\n}\n",
    );
    file("own.yaml", `reward: ./own.ts:mine\n${TABLE}`);
    for (const [run, where] of [
      ["runs/own", at],
      ["runs/again", alone],
    ] as const)
      await facts<Summary>(["train", "own.yaml", "--out", run], where);
    expect(metricsOf("runs/own")).toEqual(metricsOf("runs/again"));
    expect(metricsOf("runs/own").some((mean) => mean % 1 !== 0)).toBe(true);
  });
});

describe("a task in the file that the page saves", () => {
  const problems = Array.from({ length: 9 }, (_, i) => ({ question: `Say ${i} to me`, answer: String(i) }));

  const lines = new TextDecoder().decode(contentOf(problems.map((each) => ({ ...each, answer: each.answer }))));
  const data = { sha256: contentName(lines), name: "said.csv", rows: 9, answers: 9 };
  const thing = readOwnThing("task", "held", { data });

  it("is trained with its environment, and goes on", async () => {
    const source = "export const step = ({ text, turn }) => (turn < 1 ? { say: 'and?' } : { done: true, reward: text.length / 10 });\n";
    file("said.ts", ownFileText({ thing: readOwnThing("task", "said", { problems, environment: { source, turns: 2 } }), data: null }));
    file("said.yaml", `task: ./said.ts\n${SHORT}`);
    expect(await facts<Summary>(["train", "said.yaml", "--out", "runs/said"], at)).toMatchObject({ task: "said", steps: 2 });
    const more = ["train", "runs/said", "--resume", "--set", "steps=3"];
    expect(await facts<Summary>(more, alone)).toMatchObject({ steps: 3 });
    file("lost.yaml", `task: ./nowhere.ts\n${SHORT}`);
    await fails(["train", "lost.yaml"], at, 1, /task must be FILE.ts:NAME, .* or a file that the page saved/);
  });

  it("brings its data, which the run's folder and its recording keep", async () => {
    file("held.ts", ownFileText({ thing, data: lines }));
    file("held.yaml", `task: ./held.ts\n${SHORT}`);
    expect(await facts<Summary>(["train", "held.yaml", "--out", "runs/held"], at)).toMatchObject({ task: "held", steps: 2 });
    expect(readFileSync(join(folder.path, `runs/held/data/${data.sha256}.jsonl`), "utf8")).toBe(lines);
    expect(await facts<Summary>(["train", "runs/held", "--resume", "--set", "steps=3"], alone)).toMatchObject({ steps: 3 });
    await facts(["export", "runs/held", "--to", "rollout", "--out", "handed"], at);
    const handed = await facts<Found>(["sample", "handed/held.rollout", "--n", "1"], at);
    expect(handed.samples).toHaveLength(1);
  });

  it("finds data beside its configuration, by its hash, or says what to do", async () => {
    mkdirSync(join(folder.path, "elsewhere"));
    const bare = {
      customTasks: { held: thing.content },
      task: "held",
      steps: 2,
      promptsPerStep: 2,
      groupSize: 2,
      evalEvery: 0,
      maxCompletionTokens: 8,
    };
    file("elsewhere/bare.json", JSON.stringify(bare));
    await fails(
      ["train", "elsewhere/bare.json"],
      at,
      1,
      /the data "said.csv" is not here: put it at .*elsewhere\/data\/[0-9a-f]{64}\.jsonl, or bring the task/,
    );
    file(`elsewhere/${data.sha256}.jsonl`, lines);
    expect(await facts<Summary>(["train", "elsewhere/bare.json", "--out", "runs/bare"], at)).toMatchObject({ steps: 2 });
    file(`elsewhere/${data.sha256}.jsonl`, lines.replace("Say 3", "Say 4"));
    await fails(["train", "elsewhere/bare.json", "--out", "runs/changed"], at, 1, /was changed: its SHA-256 is not its name/);
  });
});
