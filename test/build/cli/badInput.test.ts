// Everything that can be wrong with what the command line is given: one line that says what to do, and the
// exit code that scripts rely on.
import {
  appendFileSync,
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { facts, fails, PROGRAM, run, start, temporaryFolder } from "./program.ts";

const folder = temporaryFolder();
const { at, alone } = folder;
const file = (...parts: readonly string[]) => join(folder.path, ...parts);

beforeAll(async () => {
  writeFileSync(file("good.yaml"), "task: digit-sum\nsteps: 4\nevalEvery: 2\nevalSamples: 1\n");
  writeFileSync(file("missing.yaml"), "task: ./gone.mjs:task\n");
  mkdirSync(file("configs"));
  await run(["train", "good.yaml", "--out", "runs/good"], at);
});
afterAll(folder.remove);

describe("a command line that is wrong", () => {
  it("leaves stdout to programs: without --json nothing is on it", async () => {
    const { code, stdout, stderr } = await run(["trian"], alone);
    expect([code, stdout, stderr]).toEqual([1, "", expect.stringMatching(/^rollout-lab: [^\n]+\n$/)]);
  });

  it.each([
    ["an unknown verb", ["trian", "good.yaml"], /the command must be one of .*did you mean "train"\?/],
    ["help on an unknown verb", ["help", "trian"], /the command must be one of .*did you mean "train"\?/],
    ["an option without a verb", ["--bogus"], /unknown option --bogus \(see rollout-lab --help\)/],
    ["a folder that is not there", ["list", "nowhere"], /there is no folder nowhere: rollout-lab list shows those in runs\//],
    ["a comparison with a run that is not there", ["compare", "good", "god"], /there is no run at god \(did you mean runs\/good\?\)/],
    [
      "an export into a file",
      ["export", "good", "--to", "csv", "--out", "good.yaml"],
      /good\.yaml cannot be made: a file of that name is there/,
    ],
    [
      "a folder below one that cannot be made",
      ["train", "good.yaml", "--out", "/proc/x/y"],
      /\/proc\/x\/y cannot be made: nothing can be made there/,
    ],
    ["a task file that is not there", ["train", "missing.yaml"], /gone\.mjs cannot be read: it is not there/],
    ["a second file of init in one place", ["init", "reward", "--out", "good.yaml"], /good\.yaml is there already: choose another name/],
    ["a bench of no steps", ["bench", "--steps", "0"], /--steps must be a whole number from 2 to 1000, got "0"/],
    ["a host that is not this machine", ["serve", "--host", "rollout-lab.invalid"], /--host must be a name of this machine/],
    ["a word too many for a verb without any", ["doctor", "now"], /doctor takes no "now"/],
    ["no configuration", ["train"], /train needs CONFIG: rollout-lab train CONFIG \[options\]/],
    ["too many operands", ["train", "good.yaml", "more"], /train takes no "more"/],
    ["an unknown option", ["train", "good.yaml", "--stpes", "3"], /unknown option --stpes \(see rollout-lab train --help\)/],
    ["a mistyped option", ["train", "good.yaml", "--device=wasm", "--resum"], /unknown option --resum \(did you mean --resume\?\)/],
    ["an option without its value", ["train", "good.yaml", "--out"], /--out needs a value: --out DIR/],
    ["a number that is none", ["train", "good.yaml", "--seed", "one"], /--seed must be a whole number from 0 to 4294967295, got "one"/],
    ["an unknown device", ["train", "good.yaml", "--device", "gpu"], /--device must be one of "auto", "webgpu", "wasm", got "gpu"/],
    ["a setting without a value", ["train", "good.yaml", "--set", "steps"], /--set must be KEY=VALUE, got "steps"/],
    [
      "a setting of files alone",
      ["train", "good.yaml", "--set", "reward=./mine.ts:short"],
      /--set reward: .*write "reward: \.\/mine\.ts:short" there/,
    ],
    [
      "a training by TRL from another run",
      ["train", "good.yaml", "--backend", "trl", "--from", "good"],
      /--from is of this engine's own training/,
    ],
    ["a Python without TRL", ["train", "good.yaml", "--python", "python3"], /--python is of a training by TRL: add --backend trl/],
    ["a sweep of one value", ["sweep", "good.yaml", "--over", "steps=3"], /--over must be KEY=A,B,\.\.\. with two values or more/],
    ["a sweep of how runs are computed", ["sweep", "good.yaml", "--over", "threads=1,2"], /--over: threads cannot be swept: it says how/],
    [
      "an export to nothing",
      ["export", "good"],
      /export needs --to hf\|peft\|rollout\|jsonl\|csv\|tensorboard\|mlflow\|wandb\|verifiers\|report\|trl\|verl/,
    ],
    ["an unknown form", ["export", "good", "--to", "tensorbord"], /did you mean "tensorboard"\?/],
    ["an unknown name", ["schema", "grupSize"], /did you mean "groupSize"\?/],
  ])("%s", (_what, words, sentence) => fails(words, at, 1, sentence));
});

describe("a configuration that is wrong", () => {
  it.each([
    ["broken YAML", "task: digit-sum\nsteps: [1, 2\n", /bad\.yaml:3: Flow sequence/],
    ["a key that is there twice", "steps: 1\nsteps: 2\n", /bad\.yaml:2: Map keys must be unique/],
    ["a key that is a list", "task: digit-sum\n[a, b]: 3\n", /bad\.yaml:2: a key must be a name, no list or map/],
    ["a list", "- task\n", /bad\.yaml:1: must be a map of settings, got \["task"\]/],
    [
      "an unknown key",
      "task: digit-sum\n\n# Twice as many.\ngrupSize: 16\n",
      /bad\.yaml:4: unknown field "grupSize" \(did you mean "groupSize"\?\)/,
    ],
    ["a value out of range", "groupSize: 1\n", /bad\.yaml:1: groupSize must be >= 2, got 1/],
    ["an option of the task", "task: digit-sum\ntaskOptions:\n  length: 0\n", /bad\.yaml:3: taskOptions\.length must be >= 1, got 0/],
    ["an unknown task", "task: digitsum2\n", /bad\.yaml:1: task must be one of the \d+ known ones.*did you mean "digit-sum"\?/],
    ["an unknown preset", "preset: digit-sum-tabel\n", /bad\.yaml:1: preset .*did you mean "digit-sum-table"\?/],
    [
      "several mistakes",
      "groupSize: 1\nsteps: -1\n",
      /bad\.yaml:2: steps must be >= 0, got -1; .*bad\.yaml:1: groupSize must be >= 2, got 1/,
    ],
  ])("%s is said with its line", async (what, text, sentence) => {
    const name = `${what.replaceAll(" ", "-")}-bad.yaml`;
    writeFileSync(file(name), text);
    await fails(["train", name], at, 1, sentence);
  });

  it("in JSON, and by --set, is said in the same way", async () => {
    writeFileSync(file("bad.json"), '{\n  "steps": 3,\n  "groupSize": 1\n}\n');
    await fails(["train", "bad.json"], at, 1, /bad\.json:3: groupSize must be >= 2, got 1/);
    await fails(["train", "good.yaml", "--set", "groupSize=1"], at, 1, /--set groupSize: groupSize must be >= 2, got 1/);
  });

  it("that is not there is answered with the nearest file", async () => {
    await fails(["train", "god.yaml"], at, 1, /there is no file god\.yaml \(did you mean good\.yaml\?\)/);
    await fails(["train", "configs/none.yaml"], at, 1, /there is no file configs\/none\.yaml: give the path/);
    await fails(["train", "configs"], at, 1, /configs cannot be read: it is a folder/);
  });
});

describe("a reward that is wrong", () => {
  it.each([
    ["names no function", "reward: mine.ts", /reward must be FILE\.ts:NAME, such as/],
    ["is not there", "reward: ./gone.js:reward", /gone\.js cannot be read: it is not there/],
    ["exports something else", "reward: ./mine.mjs:rewards", /mine\.mjs exports no function rewards; it exports throws, words/],
    ["returns no number", "reward: ./mine.mjs:words", /mine\.mjs: words must return a number, or null where it cannot judge, got "much"/],
    ["throws", "reward: ./mine.mjs:throws", /mine\.mjs: throws threw TypeError: no/],
  ])("%s", async (what, line, sentence) => {
    writeFileSync(file("mine.mjs"), 'export const words = () => "much";\nexport function throws() {\n  throw new TypeError("no");\n}\n');
    const name = `${what.replaceAll(" ", "-")}.yaml`;
    writeFileSync(file(name), `task: digit-sum\nsteps: 2\n${line}\n`);
    await fails(["train", name], at, 1, sentence);
  });
});

describe("a run that is wrong", () => {
  it("is named with the nearest one, or with what shows those there are", async () => {
    await fails(["eval", "runs/god"], alone, 1, /there is no run at runs\/god \(did you mean runs\/good\?\)/);
    await fails(["sample", "nothing-like-it"], at, 1, /there is no run at nothing-like-it: rollout-lab list/);
    await fails(["train", "good.yaml", "--resume", "--out", "runs/none"], at, 1, /there is no run at runs\/none/);
    await fails(["export", "good", "--to", "hf"], at, 1, /runs\/good trained a logits table, which has no Hugging Face form/);
  });

  it("is not written over, and goes on only with the settings it was begun with", async () => {
    await fails(
      ["train", "good.yaml", "--out", "runs/good"],
      at,
      1,
      /runs\/good holds a run already: rollout-lab train runs\/good --resume goes on with it/,
    );
    await fails(
      ["train", "good.yaml", "--out", "runs/good", "--resume", "--set", "groupSize=4"],
      at,
      1,
      /runs\/good was begun with groupSize 24, got 4/,
    );
  });

  it("with a damaged file is told by its name; one that cannot be read stands in no other's way", async () => {
    for (const name of ["cut", "gone"]) await run(["train", "good.yaml", "--out", `runs/${name}`], at);
    truncateSync(file("runs/cut/checkpoints/best.rollout"), 300);
    await fails(["eval", "runs/cut", "--checkpoint", "best"], at, 1, /runs\/cut\/checkpoints\/best\.rollout cannot be opened: /);
    writeFileSync(file("runs/gone/config.json"), "{");
    const { runs } = await facts<{ runs: readonly object[] }>(["list"], at);
    expect(runs).toEqual(
      expect.arrayContaining([
        { run: "runs/gone", training: false, pinned: false, tags: [], problem: expect.stringMatching(/config\.json is not JSON/) },
      ]),
    );
    expect(runs.length).toBeGreaterThan(2);
  });

  it("whose last line was cut short in the middle of a write is read up to there", async () => {
    await run(["train", "good.yaml", "--out", "runs/half"], at);
    appendFileSync(file("runs/half/metrics.jsonl"), '{"step":5,"rew');
    const { runs } = await facts<{ runs: readonly { run: string; step: number }[] }>(["list"], at);
    expect(runs.find(({ run: path }) => path === "runs/half")).toMatchObject({ step: 4 });
    expect(await facts(["train", "good.yaml", "--out", "runs/half", "--resume", "--set", "steps=6"], alone)).toMatchObject({ steps: 6 });
    const steps = readFileSync(file("runs/half/metrics.jsonl"), "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line).step);
    expect(steps).toEqual([1, 2, 3, 4, 5, 6]);
  });
});

describe("a machine that refuses", () => {
  // The last lines are written after the last step: a failure there counts as any other.
  it.runIf(existsSync("/dev/full")).each(["metrics", "evaluations", "trajectories"])(
    "a disk too full for %s ends the run with what to do",
    async (name) => {
      const into = `full-${name}`;
      rmSync(file(into), { recursive: true, force: true });
      mkdirSync(file(into));
      symlinkSync("/dev/full", file(into, `${name}.jsonl`));
      const { code, stderr } = await run(["train", "good.yaml", "--out", into], alone);
      expect([code, stderr]).toEqual([
        1,
        `rollout-lab: ${into}/${name}.jsonl cannot be written: no space is left on its disk; free some, or choose another place with --out\n`,
      ]);
    },
  );

  it.runIf(process.getuid?.() === 0 || process.platform === "linux")("a folder without permission is said so", async () => {
    mkdirSync(file("locked"));
    chmodSync(file("locked"), 0o555);
    chmodSync(folder.path, 0o755);
    // The user who may do everything is never refused.
    const user = process.getuid?.() === 0 ? { uid: 65_534 } : {};
    await fails(
      ["train", "good.yaml", "--out", "locked/run"],
      { ...alone, ...user },
      1,
      /locked\/run cannot be made: this user has no permission; choose another place with --out/,
    );
  });

  it("a process that trains a run already is named", async () => {
    await run(["train", "good.yaml", "--out", "runs/taken"], at);
    writeFileSync(file("runs/taken/.pid"), String(process.pid));
    await fails(
      ["train", "good.yaml", "--out", "runs/taken", "--resume", "--set", "steps=5"],
      alone,
      1,
      new RegExp(`process ${process.pid} is training runs/taken`),
    );
  });
});

describe("a package that lacks a part", () => {
  it("is told with exit code 2, by doctor and by who needs the part", async () => {
    // Only the program, without kernels, checkpoints and page.
    const program = file("package", "dist-cli", "bin");
    cpSync(dirname(PROGRAM), program, { recursive: true });
    writeFileSync(file("package", "package.json"), '{ "name": "rollout-lab", "version": "0.0.0", "type": "module" }');
    const lacking = { ...alone, program: join(program, "rollout-lab.js") };
    const { code, stdout, stderr } = await run(["doctor", "--json"], lacking);
    expect([code, stderr, JSON.parse(stdout)]).toEqual([2, "", expect.objectContaining({ ok: false, ready: false })]);
    await fails(["serve"], lacking, 2, /the page is not built: run npm run build first/);
    await fails(
      ["train", "good.yaml", "--set", "task=boxed-arithmetic"],
      lacking,
      2,
      /asset ".*" is missing: rollout-lab doctor says what is there/,
    );
  });
});

describe("Ctrl-C", () => {
  it("in a verb that keeps nothing is answered with one object and one line", async () => {
    const bench = start(["bench", "--steps", "1000", "--json", "--progress", "json"], alone);
    await bench.says('"type":"part"');
    bench.signal("SIGINT");
    const { code, stdout, stderr } = await bench.ended;
    expect(code).toBe(130);
    expect(stderr).toMatch(/\nrollout-lab: interrupted: nothing was kept, the same command begins again\n$/);
    expect(JSON.parse(stdout)).toEqual({ ok: false, error: "interrupted: nothing was kept, the same command begins again", exitCode: 130 });
  });

  const endless = ["train", "good.yaml", "--set", "steps=0", "--set", "evalEvery=0", "--progress", "json", "--out"];

  it("keeps the run, ends with 130 and says how to go on, which it then does", async () => {
    const training = start([...endless, "runs/stopped", "--json"], alone);
    await training.says('"type":"step"');
    training.signal("SIGINT");
    const { code, stdout } = await training.ended;
    const report = JSON.parse(stdout);
    expect(report).toMatchObject({ ok: false, interrupted: true, resume: "rollout-lab train runs/stopped --resume" });
    expect(code).toBe(130);
    const whole = await facts<{ steps: number }>(
      ["train", "good.yaml", "--out", "runs/stopped", "--resume", "--set", "evalEvery=0", "--set", `steps=${report.steps + 3}`],
      alone,
    );
    expect(whole.steps).toBe(report.steps + 3);
    const steps = readFileSync(file("runs/stopped/metrics.jsonl"), "utf8").trim().split("\n").length;
    expect(steps).toBe(whole.steps);
  });

  it("twice ends at once, and the run goes on from what it had", async () => {
    const training = start([...endless, "runs/killed"], alone);
    await training.says('"step":40,');
    training.signal("SIGINT");
    training.signal("SIGINT");
    expect((await training.ended).code).toBe(130);
    const written = readFileSync(file("runs/killed/metrics.jsonl"), "utf8").split("\n").length - 1;
    const last = `steps=${written + 3}`;
    const whole = await facts<{ steps: number }>(
      ["train", "good.yaml", "--out", "runs/killed", "--resume", "--set", "evalEvery=0", "--set", last],
      alone,
    );
    expect(whole.steps).toBe(written + 3);
  });
});
