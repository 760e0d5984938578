import { describe, expect, it } from "vitest";
import { Random } from "../../../src/rl/random.ts";
import type { SandboxAnswer, SandboxJob, SandboxOrder, SandboxStart } from "../../../src/rl/sandbox/jobs.ts";
import { createSandbox, type SandboxThread } from "../../../src/rl/sandbox/sandbox.ts";
import { planRun } from "../../../src/train/start/plan.ts";
import { rewardModel } from "../../../src/train/start/runRewards.ts";
import { createNodeHost } from "../../support/nodeHost.ts";
import { answered } from "../trajectoryFixture.ts";

const example = { id: "e", messages: [{ role: "user" as const, content: "?" }], answer: "1" };
const host = createNodeHost();

async function asked(source: string, values: readonly unknown[], more: Partial<SandboxJob> = {}): Promise<readonly SandboxAnswer[]> {
  const job = { source, entry: "reward", options: {}, workMs: 50, ...more };
  return host.sandbox!.run({ job, inputs: values.map((value, i) => ({ value: JSON.stringify(value), seed: i })) });
}

describe("code in the sandbox", () => {
  it("reads TypeScript, takes its options and gives a number for each input, in order", async () => {
    const source = `interface Given { readonly text: string }
export const reward = ({ text }: Given, { options }: { options: { factor: number } }): number => text.length * options.factor;`;
    const texts = ["", "a", "three"].map((text) => ({ text }));
    expect(await asked(source, texts, { options: { factor: 2 } })).toEqual([0, 2, 10]);
  });

  it("draws from the lab's own generator, of each input's seed", async () => {
    const source = "export const reward = (_, { random }) => (random.uniform(), random.uniform())";
    const second = (seed: number) => {
      const random = new Random(seed);
      random.uniform();
      return random.uniform();
    };
    expect(await asked(source, [0, 0, 0])).toEqual([0, 1, 2].map(second));
  });

  it("keeps nothing from one batch to the next", async () => {
    const source = "let calls = 0; export const reward = () => ++calls";
    expect(await asked(source, [0, 0])).toEqual([1, 2]);
    expect(await asked(source, [0, 0])).toEqual([1, 2]);
  });

  it("ends where it computes too long, at the same place each time, and is asked no more after three", async () => {
    const source = "export const reward = (n) => { let i = 0; while (i < n) i += 1; return i }";
    const late = { reason: "computed longer than 5 ms" };
    const rest = { reason: "was not asked, since 3 before it computed longer than 5 ms" };
    const answers = await asked(source, [9, 1e9, 9, 1e9, 1e9, 9], { workMs: 5 });
    expect(answers).toEqual([9, late, 9, late, late, rest]);
    // Just as many turns, found once, are below and above the limit on every machine.
    const turns = await asked("export const reward = (n) => { let i = 0; while (i < n) i += 1; return i }", [95_000, 110_000], {
      workMs: 5,
    });
    expect(turns).toEqual([95_000, late]);
  });

  it("says what went wrong and on which line", async () => {
    expect(await asked("type A = { b: 1 };\n\nexport function reward(judged: A) {\n  return judged.c.d;\n}", [{}])).toEqual([
      { reason: "TypeError: cannot read property 'd' of undefined (line 4)", line: 4 },
    ]);
    expect(await asked("export const reward = 1", [0])).toEqual([{ reason: "must export a function reward" }]);
    expect(await asked("export const a = () => 1; export const b = () => 1", [0])).toEqual([
      { reason: "must export a function reward; it exports a, b" },
    ]);
    expect(await asked("export const other = () => 1", [0])).toEqual([1]);
    const [unread] = await asked("export const reward = () => 1;\n\nlet 5 = x;", [0]);
    expect(unread).toMatchObject({ line: 3 });
    expect(await asked("export const reward = () => '1'", [0])).toEqual([
      { reason: 'must return a number, or null where it cannot judge, got "1"' },
    ]);
  });
});

describe("a regular expression", () => {
  it("that backtracks for ever costs its conversation the verdict, and nobody else", async () => {
    const config = { rewardRules: { pattern: { pattern: "^(a+)+$" } }, rewardWeights: { sumCloseness: 0 } };
    const rewards = rewardModel(planRun({ config }), host);
    const texts = ["aaa", `${"a".repeat(60)}!`, "b"];
    const rollouts = texts.map((text) => ({ example, trajectory: answered(example, text) }));
    let isAlive = false;
    setTimeout(() => {
      isAlive = true;
    }, 20);
    const verdicts = await rewards.scoreBatch(rollouts, { maxCompletionTokens: 1, overlongBuffer: 0 });
    const found = verdicts.map(({ parts }) => parts.find(({ name }) => name === "pattern")!);
    expect(found.map(({ value }) => value)).toEqual([1, null, 0]);
    expect(found[1]!.reason).toBe("computed longer than 50 ms");
    // Signals and commands were let in meanwhile.
    expect(isAlive).toBe(true);
  });
});

describe("the thread of a sandbox", () => {
  /** Answers 0 to whatever is not "late"; time passes as it is slept. */
  function fakeHost() {
    let [time, started, closed] = [0, 0, 0];
    const startSandbox = (): SandboxThread => {
      started += 1;
      const thread: SandboxThread = {
        onReply: null,
        onFailure: null,
        close() {
          closed += 1;
        },
        post(message: SandboxStart | SandboxOrder) {
          if ("interpreter" in message) return;
          thread.onReply?.("up");
          const values = message.inputs.map(({ value }) => value);
          const until = values.indexOf("late");
          const answers = (until < 0 ? values : values.slice(0, until)).map(() => 0);
          if (!message.isPatient) for (const answer of answers) thread.onReply?.([answer]);
          else if (until < 0) thread.onReply?.(answers);
        },
      };
      return thread;
    };
    const sleep = async (ms: number) => {
      time += ms;
    };
    return { host: { startSandbox, sleep, now: () => time, readAsset: host.readAsset }, counts: () => ({ started, closed }) };
  }
  const job = { source: "", entry: "reward", options: {}, workMs: 50 };
  const inputs = (values: readonly string[]) => values.map((value) => ({ value, seed: 0 }));

  it("is made again where it is late, and asked no more once it was late three times", async () => {
    const { host, counts } = fakeHost();
    const sandbox = createSandbox(host);
    const late = { reason: "took longer than 2000 ms" };
    expect(await sandbox.run({ job, inputs: inputs(["late", "x", "late"]) })).toEqual([late, 0, late]);
    const rest = { reason: "was not asked, since 3 before it took longer than 2000 ms" };
    const many = await sandbox.run({ job, inputs: inputs(["late", "late", "x", "late", "x", "x"]) });
    expect(many).toEqual([late, late, 0, late, rest, rest]);
    expect(counts()).toEqual({ started: 7, closed: 7 });
  });
});
