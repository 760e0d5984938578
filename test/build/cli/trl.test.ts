// The way to TRL through the built program: what is written, what is refused, and a training by another program. TRL
// itself is tried by hand (docs/interop.md): it is gigabytes of Python.
import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Found, facts, fails, linesOf, run, TABLE, temporaryFolder } from "./program.ts";

const folder = temporaryFolder();
const { at, alone } = folder;
const path = (...parts: readonly string[]) => join(folder.path, ...parts);
afterAll(folder.remove);

const SHORT = "backend: wasm\nthreads: 1\nsteps: 1\npromptsPerStep: 2\ngroupSize: 2\nevalEvery: 0\nevalProblems: 2\nevalSamples: 1\n";
beforeAll(async () => {
  writeFileSync(path("sums.yaml"), `task: boxed-arithmetic\n${SHORT}`);
  writeFileSync(path("table.yaml"), TABLE);
  writeFileSync(path("turns.yaml"), `task: countdown\n${SHORT}`);
  writeFileSync(path("agents.yaml"), `task: checked-arithmetic\n${SHORT}`);
  writeFileSync(path("tools.yaml"), `task: calculator\n${SHORT}`);
  await run(["train", "sums.yaml"], at);
});

it("a run is written as a folder for TRL", async () => {
  const { out, files } = await facts<Found>(["export", "sums", "--to", "trl"], at);
  const names = files.map((each) => each.path.slice(out.length + 1));
  for (const name of [
    "model/model.safetensors",
    "train.jsonl",
    "eval.jsonl",
    "rewards.py",
    "train.py",
    "grpo.yaml",
    "launch.py",
    "saves.py",
  ])
    expect(names).toContain(name);
  expect(linesOf(path(out, "train.jsonl"))[0]).toMatchObject({ prompt: [{ role: "user" }], answer: expect.any(String) });
  expect(linesOf(path(out, "rollouts.jsonl"))[0]).toMatchObject({
    completed: expect.any(Boolean),
    parts: { boxedAnswer: expect.any(Number) },
  });
});

it("a run with tools is written with its environment, and has no form for verl", async () => {
  await run(["train", "tools.yaml"], at);
  const { out, files } = await facts<Found>(["export", "tools", "--to", "trl"], at);
  const names = files.map((each) => each.path.slice(out.length + 1));
  for (const name of ["tools.json", "tools.py", "conversation.py"]) expect(names).toContain(name);
  const held = { mask: expect.any(Array), stopReason: expect.any(String), figures: { calls: expect.any(Number) } };
  expect(linesOf(path(out, "rollouts.jsonl"))[0]).toMatchObject(held);
  await fails(["export", "tools", "--to", "verl"], at, 1, /have no form in verl's folder: export --to trl, hf or jsonl/);
});

it("a model folder hands its weights on", async () => {
  await run(["export", "sums", "--to", "hf", "--out", "folder"], at);
  const begun = await facts<{ readonly steps: number }>(["train", "sums.yaml", "--from", "folder", "--out", "from-folder"], alone);
  expect(begun.steps).toBe(1);
});

it("what TRL cannot train is refused with the reason", async () => {
  await run(["train", "table.yaml"], at);
  await fails(["export", "table", "--to", "trl"], at, 1, /TRL cannot train a logits table: use a transformer/);
  await fails(
    ["train", "agents.yaml", "--backend", "trl", "--python", fakePython(0)],
    at,
    1,
    /agents.yaml: several agents, as in checked-arithmetic, have advantages of their own here and one for the whole conversation in TRL/,
  );
});

/** A conversation of the first step, as train.py tells it. */
const TOLD = {
  ...{ step: 1, prompt: 0, member: 1, answer: "3", opening: [{ role: "user", content: "1 + 2 = ?" }], text: "\\boxed{3}<|im_end|>" },
  ...{
    messages: [{ role: "assistant", content: "\\boxed{3}" }],
    reward: 1,
    advantage: 0.5,
    promptTokens: [5, 6],
    tokens: [7, 2],
    mask: [1, 1],
  },
  rewardParts: [
    { name: "total", value: 1, weight: 1 },
    { name: "boxedForm", value: 1, weight: 0.5 },
  ],
};

/** A program in the place of Python: it has every package, and "trains" by these lines of the shell: two steps. */
function fakePython(code: number, missing = "", trains: readonly string[] = TWO_STEPS): string {
  const file = path(`python-${code}${missing}${trains === TWO_STEPS ? "" : "-own"}`);
  const packages = Object.fromEntries(
    ["trl", "accelerate", "datasets", "transformers", "torch"].map((name) => [name, name === missing ? null : "1.0"]),
  );
  const lines = ["#!/bin/sh", `[ "$1" = -c ] && { echo '${JSON.stringify({ version: "3.11.2", packages })}'; exit 0; }`, ...trains];
  writeFileSync(file, [...lines, "echo 'it went wrong' >&2", `exit ${code}`, ""].join("\n"));
  chmodSync(file, 0o755);
  return file;
}

const stepLine = (step: number) => JSON.stringify({ step, metrics: { reward: step / 4 } });
const rolloutsLine = (step: number) => JSON.stringify({ rollouts: [{ ...TOLD, step }] });
const says = (...lines: readonly string[]) => lines.map((line) => `cat <<'END'\n${line}\nEND`);
const TWO_STEPS: readonly string[] = ["echo for people", ...says(rolloutsLine(1), stepLine(1), stepLine(2))];

it("train --backend trl writes down what the program tells", async () => {
  const args = ["train", "sums.yaml", "--backend", "trl", "--out", "runs/there"];
  const plan = await facts<{ readonly command: string }>([...args, "--python", fakePython(0), "--dry-run"], at);
  expect(plan.command).toBe(`cd ${path("runs/there/trl")} && ${fakePython(0)} train.py --cpu`);
  expect(existsSync(path("runs/there"))).toBe(false);
  const summary = await facts([...args, "--python", fakePython(0)], alone);
  expect(summary).toMatchObject({ backend: { id: "trl", title: "TRL", threads: null }, steps: 2, reward: { first: 0.25, final: 0.5 } });
  // The same shape as a run of this engine: no field more, none fewer.
  const own = await facts<object>(["train", "sums.yaml", "--out", "runs/own"], at);
  expect(Object.keys(summary as object).sort()).toEqual(Object.keys(own).sort());
  expect(linesOf(path("runs/there/metrics.jsonl"))).toEqual([
    { step: 1, reward: 0.25 },
    { step: 2, reward: 0.5 },
  ]);
  // Parts have the run's weights, and the whole is no part.
  expect(linesOf(path("runs/there/trajectories.jsonl"))).toEqual([
    {
      ...{ step: 1, prompt: 0, member: 1, exampleId: "", answer: "3", opening: 1, text: TOLD.text, success: null, reward: 1 },
      messages: [...TOLD.opening, ...TOLD.messages],
      ...{ advantage: 0.5, promptTokens: [5, 6], tokens: [7, 2], mask: [1, 1] },
      rewardParts: [{ name: "boxedForm", value: 1, weight: 0 }],
    },
  ]);
  expect(JSON.parse(readFileSync(path("runs/there/summary.json"), "utf8"))).toMatchObject({ steps: 2 });
  await fails(["eval", "there"], at, 1, /there has no model: TRL did not train it to its end/);
});

it("a Python that is not there, lacks TRL or fails is said to", async () => {
  const train = (python: string) => ["train", "sums.yaml", "--backend", "trl", "--python", python];
  await fails(train("no-such-python"), at, 2, /no-such-python cannot be run: name a Python that has TRL/);
  await fails(train(fakePython(0, "trl")), at, 2, /has no trl: pip install trl/);
  await fails(train(fakePython(3)), at, 1, /TRL ended with exit code 3: it went wrong/);
});

it("the dry run refuses what the run refuses, and no folder is made for either", async () => {
  writeFileSync(path("supervised.yaml"), `task: boxed-arithmetic\nkind: supervised\n${SHORT}`);
  writeFileSync(path("frozen.yaml"), `task: checked-arithmetic\ntaskOptions: { frozenStart: checker }\n${SHORT}`);
  for (const name of ["table", "supervised", "agents", "frozen"]) {
    const train = ["train", `${name}.yaml`, "--backend", "trl", "--python", fakePython(0), "--out", `runs/refused-${name}`];
    const [dry, real] = [await run([...train, "--dry-run"], at), await run(train, at)];
    expect(dry.code, name).toBe(1);
    expect(real, name).toEqual(dry);
    expect(existsSync(path("runs", `refused-${name}`)), name).toBe(false);
  }
});

interface Plan {
  readonly conversations: "here" | "lab";
  readonly unchecked: readonly string[];
}

it("the dry run says who holds the conversations, and needs no Python that has TRL", async () => {
  writeFileSync(path("rows.jsonl"), Array.from({ length: 8 }, (_, i) => `{"question": "${i} + 1", "answer": "${i + 1}"}\n`).join(""));
  writeFileSync(path("data.yaml"), `data: ./rows.jsonl\nstartFrom: checkpoint\n${SHORT}`);
  writeFileSync(path("pattern.yaml"), `task: boxed-arithmetic\nrewardRules: { pattern: { pattern: "x" } }\nrewardClip: 1\n${SHORT}`);
  writeFileSync(path("odd.yaml"), `task: boxed-arithmetic\nrewardRules: { pattern: { pattern: "\\\\p{L}" } }\n${SHORT}`);
  writeFileSync(path("loop.yaml"), `task: calculator\nrewardRules: { toolLoop: {} }\n${SHORT}`);
  writeFileSync(path("router.yaml"), `task: router\n${SHORT}`);
  writeFileSync(path("mine.mjs"), "export const reward = ({ text }) => text.length;\n");
  writeFileSync(path("mine.yaml"), `task: boxed-arithmetic\nreward: ./mine.mjs:reward\n${SHORT}`);
  const held = { data: "here", pattern: "here", loop: "here", odd: "lab", router: "lab", turns: "lab", mine: "lab" } as const;
  for (const [name, conversations] of Object.entries(held)) {
    const plan = await facts<Plan>(["train", `${name}.yaml`, "--backend", "trl", "--python", "no-such-python", "--dry-run"], at);
    expect(plan.conversations, name).toBe(conversations);
    expect(plan.unchecked[0], name).toMatch(/no-such-python cannot be run/);
  }
});

it("--launch starts the training elsewhere, with the command as one word of its shell", async () => {
  const launch = (text: string, out = "runs/it's there") => ["train", "sums.yaml", "--backend", "trl", "--out", out, "--launch", text];
  const { command } = await facts<{ readonly command: string }>([...launch("sh -c {}"), "--python", fakePython(0), "--dry-run"], at);
  const inner = `cd '${path("runs/it")}'\\''s there/trl' && ${fakePython(0)} train.py --cpu`;
  expect(command).toBe(`sh -c '${inner.replaceAll("'", "'\\''")}'`);
  expect(await facts([...launch("sh -c {}"), "--python", fakePython(0)], at)).toMatchObject({ steps: 2 });
  await fails(
    launch("ssh machine", "runs/nowhere"),
    at,
    1,
    /--launch must have \{\} where the command stands, such as "ssh machine \{\}", got "ssh machine"/,
  );
});

it("--resume goes on from the program's checkpoint, with every step and conversation once", async () => {
  // Begun first it is ended after step 2, of which it has saved step 1; then it knows step 1 and goes on from there.
  const first = ["[ -e output/saved ] || { mkdir -p output; : > output/saved", ...says('{"from": 0, "steps": []}')];
  const begun = says(rolloutsLine(1), stepLine(1), rolloutsLine(2), stepLine(2));
  const goesOn = says(`{"from": 1, "steps": [${stepLine(1)}]}`, rolloutsLine(2), stepLine(2), stepLine(3));
  const python = fakePython(0, "", [...first, ...begun, "exit 9", "}", ...goesOn]);
  const args = ["train", "sums.yaml", "--set", "steps=3", "--backend", "trl", "--out", "runs/on", "--log", "csv", "--python", python];
  await fails(args, at, 1, /TRL ended with exit code 9: .*\(rollout-lab train runs\/on --resume goes on from TRL's last checkpoint\)/);
  const steps = () => linesOf(path("runs/on/metrics.jsonl")).map((line) => (line as { readonly step: number }).step);
  expect(steps()).toEqual([1, 2]);
  await fails(
    ["train", "runs/on", "--resume", "--seed", "3"],
    at,
    1,
    /runs\/on is trained by TRL, where steps alone can change, got --seed/,
  );
  await fails(["train", "runs/on", "--resume", "--set", "steps=2"], at, 1, /has taken 2 steps: --set steps=N, with N > 2, lets it go on/);
  // As it was begun: with the same Python, the same forms of its metrics and as many conversations.
  const summary = await facts(["train", "runs/on", "--resume"], alone);
  expect(summary).toMatchObject({ backend: { id: "trl" }, steps: 3, reward: { first: 0.25, final: 0.75 } });
  expect(steps()).toEqual([1, 2, 3]);
  expect(linesOf(path("runs/on/trajectories.jsonl")).map((line) => (line as { readonly step: number }).step)).toEqual([1, 2]);
  const evaluations = linesOf(path("runs/on/evaluations.jsonl")) as readonly { readonly type: string }[];
  expect(evaluations.map(({ type }) => type)).toEqual(["baseline", "baseline", "evaluation"]);
  expect(readFileSync(path("runs/on/logs/csv/metrics.csv"), "utf8").trim().split("\n")).toHaveLength(1 + 3);
  await fails(["train", "there", "--resume", "--backend", "trl"], at, 1, /--backend trl is of a run that begins/);
  await fails(["train", "there", "--resume"], at, 1, /there has ended and keeps no checkpoint of TRL's to go on from/);
});
