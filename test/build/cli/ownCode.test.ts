// Custom code that misbehaves, through the built program: whatever it does, stdout has one object, stderr
// one line and no stack, and a signal ends the program soon.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { facts, fails, run, type Summary, start, temporaryFolder } from "./program.ts";

const folder = temporaryFolder();
const at = { cwd: folder.path };
const file = (name: string, text: string) => writeFileSync(join(folder.path, name), text);
afterAll(folder.remove);

const SHORT = "steps: 3\nevalEvery: 0\nevalSamples: 1\n";

file(
  "reward.mjs",
  `export const prints = () => (console.log("{}"), console.error("words"), process.stdout.write("printed by it"), 1);
export const rejects = () => Promise.reject(new TypeError("no"));
export const throwsLate = () => (setTimeout(() => { throw new TypeError("late"); }), 1);
export const rejectsUnheard = () => (Promise.reject(new TypeError("unheard")), 1);
export const ends = () => process.exit(0);
export const rewritesOutput = () => (Reflect.set(JSON, "stringify", () => "spoilt") ? 0 : 1);
export const plain = ({ text }) => text.length % 2;
export const rewritesMaths = ({ text }) => {
  for (const [owner, name] of [[Math, "exp"], [Math, "log"], [Array.prototype, "map"], [Float32Array.prototype, "set"], [Number, "isFinite"]])
    Reflect.set(owner, name, () => 1);
  Reflect.set(globalThis, "Math", {});
  return text.length % 2;
};
export const draws = () => (console.log("\x1b[32mgreen\x1b[0m \x1b]0;owned\x07"), 1);
export function loops() { console.error("stuck"); for (;;); }
`,
);
file("loops.mjs", 'console.error("stuck");\nfor (;;);\n');
file("waits.mjs", "await new Promise(() => {});\nexport const reward = () => 1;\n");
file(
  "task.mjs",
  `const problems = [{ question: "a", answer: "a" }, { question: "b", answer: "b" }];
const start = () => ({ messages: [{ role: "user", content: "a" }] });
const step = () => { console.error("stuck"); for (;;); };
export const task = { id: "own", problems, env: () => ({ start, step }) };
export const plain = { id: "plain", problems };
`,
);

describe("a reward of one's own", () => {
  it("that prints spoils neither the object on stdout nor the events on stderr", async () => {
    file("prints.yaml", `task: digit-sum\n${SHORT}reward: ./reward.mjs:prints\n`);
    expect(await facts<Summary>(["train", "prints.yaml"], at)).toMatchObject({ steps: 3, reward: { final: 1 } });
    const told = await start(["train", "prints.yaml", "--progress", "json"], at).ended;
    const events = told.stderr.trim().split("\n");
    const texts = events.map((line) => JSON.parse(line)).flatMap(({ type, text }) => (type === "printed" ? [text] : []));
    expect(texts.join("")).toContain("printed by it");
    expect(told.stdout).not.toContain("printed by it");
  });

  it("that puts something else in the place of JSON.stringify spoils no output", async () => {
    file("rewrites.yaml", `task: digit-sum\n${SHORT}reward: ./reward.mjs:rewritesOutput\n`);
    expect(await facts<Summary>(["train", "rewrites.yaml"], at)).toMatchObject({ steps: 3, reward: { final: 1 } });
  });

  it("that puts something else in the place of what the engine computes with trains on the same numbers", async () => {
    const trained = async (reward: string) => {
      file("maths.yaml", `task: digit-sum\n${SHORT}reward: ./reward.mjs:${reward}\n`);
      const { reward: rewards, accuracy } = await facts<Summary>(["train", "maths.yaml"], at);
      return { rewards, accuracy };
    };
    expect(await trained("rewritesMaths")).toEqual(await trained("plain"));
    file("early.mjs", "Math.exp = () => 1;\nexport const reward = () => 1;\n");
    file("early.yaml", `task: digit-sum\n${SHORT}reward: ./early.mjs:reward\n`);
    await fails(["train", "early.yaml"], at, 1, /early\.mjs cannot be loaded: Cannot assign to read only property 'exp'/);
  });

  it("that speaks to the terminal has its colours and nothing else, as no name has anything", async () => {
    file("draws.yaml", `task: digit-sum\n${SHORT}reward: ./reward.mjs:draws\n`);
    const { stderr } = await start(["train", "draws.yaml", "--out", "runs/drawn"], at).ended;
    expect(stderr).toContain("\x1b[32mgreen\x1b[0m \\u001b]0;owned\\u0007\n");
    const { stdout } = await run(["label", "runs/drawn", "--name", "\x1b]0;owned\x07", "--notes", "\x1b[2J\x9b2J"], at);
    expect(stdout).toContain("\\u001b]0;owned\\u0007");
    expect(stdout).not.toMatch(/(?!\n)\p{Cc}/u);
    expect((await run(["train", "\x1b[2J.yaml"], at)).stderr).not.toContain("\x1b");
  });

  it.each([
    ["rejects", "./reward.mjs:rejects", /no conversation could be scored: rejects: .*rejects threw TypeError: no/],
    ["throws when nobody waits", "./reward.mjs:throwsLate", /something failed that nobody waited for: TypeError: late/],
    ["rejects when nobody waits", "./reward.mjs:rejectsUnheard", /something failed that nobody waited for: TypeError: unheard/],
    ["ends the program", "./reward.mjs:ends", /ended without a report: .* code of your own ended it/],
    ["waits for ever as it is loaded", "./waits.mjs:reward", /ended without a report: a promise .* can no longer be settled/],
  ])("that %s ends with one sentence", async (what, reward, sentence) => {
    const name = `${what.replaceAll(" ", "-")}.yaml`;
    file(name, `task: digit-sum\n${SHORT}reward: ${reward}\n`);
    await fails(["train", name], at, 1, sentence);
  });
});

describe("a reward that failed at every conversation of a step", () => {
  it("leaves a run that goes on once it is mended", async () => {
    file("fails.mjs", "export const reward = () => undefined.length;\n");
    file("fails.yaml", `task: digit-sum\n${SHORT}reward: ./fails.mjs:reward\n`);
    await fails(["train", "fails.yaml", "--out", "runs/failed"], at, 1, /no conversation could be scored: reward: .*TypeError/);
    file("fails.mjs", "export const reward = () => 1;\n");
    expect(await facts<Summary>(["train", "fails.yaml", "--out", "runs/failed", "--resume"], at)).toMatchObject({ steps: 3 });
  });
});

describe("code that is late", () => {
  const LATE = `${SHORT}promptsPerStep: 1\ngroupSize: 2\nevalProblems: 2\nmaxCompletionTokens: 64\ncallSeconds: 0.2\n`;

  it.each([
    [
      "reward",
      `task: digit-sum\n${LATE}reward: ./reward.mjs:loops\n`,
      /no conversation could be scored: .*took longer than 200 ms \(rollout-lab train .* goes on from there\)$/,
    ],
    ["environment", `task: ./task.mjs:task\n${LATE}`, /the environment of own.* failed: took longer than 200 ms$/],
  ])("in every %s ends the run with its reason", async (what, text, sentence) => {
    file(`late-${what}.yaml`, text);
    const { code, stderr } = await start(["train", `late-${what}.yaml`], at).ended;
    expect([code, stderr.trim().split("\n").at(-1)]).toEqual([1, expect.stringMatching(sentence)]);
  });
});

describe("code that never ends", () => {
  const SMALL = `${SHORT}promptsPerStep: 2\ngroupSize: 2\nevalProblems: 2\nmaxCompletionTokens: 64\n`;
  const stuck = {
    reward: `task: digit-sum\n${SHORT}reward: ./reward.mjs:loops\n`,
    module: `task: digit-sum\n${SHORT}reward: ./loops.mjs:reward\n`,
    environment: `task: ./task.mjs:task\n${SMALL}`,
  };
  const ways = [
    ["SIGINT", []],
    ["SIGTERM", ["--dry-run"]],
  ] as const;

  it.each(Object.entries(stuck).flatMap(([what, text]) => ways.map(([signal, words]) => [what, signal, words, text] as const)))(
    "in a %s hears %s %j",
    async (what, signal, words, text) => {
      file(`${what}.yaml`, text);
      const training = start(["train", `${what}.yaml`, ...words], at);
      await Promise.race([training.says("stuck"), training.ended]);
      const since = performance.now();
      training.signal(signal);
      const { code, stdout, stderr } = await training.ended;
      expect([code, stdout, stderr.split("\n").at(-2)]).toEqual([130, "", expect.stringMatching(/^rollout-lab: interrupted in the midst/)]);
      expect(performance.now() - since).toBeLessThan(8000);
    },
  );

  it("in a single step of the sandbox's interpreter hears SIGINT", async () => {
    // A power of two huge numbers is one step, which no count of steps ends.
    const source = "export function reward() { return Number((3n ** 2000000n) ** 40n % 7n); }";
    file("sandboxed.yaml", `task: digit-sum\n${SMALL}customRewards:\n  mine: { source: ${JSON.stringify(source)} }\n`);
    const training = start(["train", "sandboxed.yaml"], at);
    // Nothing of such a call can be heard; its first ones go on for six seconds from the start.
    await Promise.race([new Promise((resolve) => setTimeout(resolve, 2500)), training.ended]);
    const since = performance.now();
    training.signal("SIGINT");
    const { code, stdout } = await training.ended;
    expect([code, stdout]).toEqual([130, ""]);
    // Call after call goes on for its 2 s, so the program is ended when it has had its 15 s.
    expect(performance.now() - since).toBeLessThan(18_000);
  });

  it.each([["train"], ["train", "--dry-run"]])("in a pattern is given up by itself: %s %s", async (verb, ...words) => {
    const rules = "rewardRules:\n  pattern: { pattern: '^((((((\\d+)+)+)+)+)+)+x$' }\n";
    file("pattern.yaml", `task: digit-sum\nmodel: tabular\nalgorithm: builtin\ntaskOptions: { length: 16 }\n${SMALL}${rules}`);
    const since = performance.now();
    const { code, stderr } = await start([verb, "pattern.yaml", ...words], at).ended;
    const sentence = /4 of 4 conversations could not be scored in full: pattern: computed longer than 50 ms/;
    expect([code, stderr]).toEqual([1, expect.stringMatching(sentence)]);
    expect(performance.now() - since).toBeLessThan(12_000);
  });

  it("leaves a folder that goes on once the code is mended", async () => {
    file("mended.mjs", 'export const reward = () => { console.error("stuck"); for (;;); };\n');
    file("mended.yaml", `task: digit-sum\n${SHORT}reward: ./mended.mjs:reward\n`);
    const training = start(["train", "mended.yaml", "--out", "runs/mended"], at);
    await Promise.race([training.says("stuck"), training.ended]);
    training.signal("SIGINT");
    expect((await training.ended).code).toBe(130);
    file("mended.mjs", "export const reward = () => 1;\n");
    expect(await facts<Summary>(["train", "mended.yaml", "--out", "runs/mended", "--resume"], at)).toMatchObject({ steps: 3 });
  });
});
