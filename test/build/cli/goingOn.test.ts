// A run that was interrupted or killed, at any moment, goes on by the command that was advised, to the bit and to
// the line what a run comes to that nothing disturbed; and no start that came to nothing leaves a dead end.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isTimedMetric } from "../../../src/protocol/records.ts";
import { isLong } from "../../support/long.ts";
import { facts, fails, linesOf, run, type Summary, start, TRANSFORMER, temporaryFolder } from "./program.ts";

const folder = temporaryFolder();
const { at, alone } = folder;
const file = (...parts: readonly string[]) => join(folder.path, ...parts);
const STEPS = 400;
/** Begun with other settings than the file's, and with a change on the way. */
const BEGUN = ["--set", `steps=${STEPS}`, "--set", "taskOptions.length=3", "--seed", "5"];

beforeAll(async () => {
  writeFileSync(
    file("small.yaml"),
    `${TRANSFORMER.replace("evalEvery: 0", "evalEvery: 100")}changes:\n  - afterStep: 7\n    settings: { learningRate: 0.2 }\n`,
  );
  await facts(["train", "small.yaml", "--out", "runs/whole", ...BEGUN], alone);
}, 60_000);
afterAll(folder.remove);

/** What a run has written, without what measures time. */
const written = (name: string) => ({
  metrics: linesOf(file("runs", name, "metrics.jsonl")).map((line) => Object.entries(line).filter(([key]) => !isTimedMetric(key))),
  evaluations: linesOf(file("runs", name, "evaluations.jsonl")),
  trajectories: linesOf(file("runs", name, "trajectories.jsonl")),
});

describe("a run that goes on", () => {
  it.each([...(["SIGKILL", "SIGINT"] as const), ...(isLong ? (["SIGTERM"] as const) : [])])(
    "after %s again and again has every step, evaluation and conversation once, as one that nothing disturbed",
    async (signal) => {
      const name = `ended-by-${signal}`;
      let words: readonly string[] = ["train", "small.yaml", "--out", `runs/${name}`, ...BEGUN];
      let times = 0;
      for (; times < 5; times++) {
        const training = start([...words, "--json", "--progress", "json"], alone);
        await Promise.race([training.says('"type":"step"'), training.ended]);
        await new Promise((resolve) => setTimeout(resolve, 15 * times));
        training.signal(signal);
        const { code, stdout } = await training.ended;
        if (code === 0) break;
        if (signal !== "SIGKILL")
          expect(JSON.parse(stdout)).toMatchObject({ interrupted: true, resume: `rollout-lab train runs/${name} --resume` });
        words = ["train", `runs/${name}`, "--resume"];
      }
      expect(times).toBeGreaterThan(1);
      expect(await facts<Summary>(words, alone)).toMatchObject({ steps: STEPS, seed: 5 });
      expect(written(name)).toEqual(written("whole"));
    },
    60_000,
  );

  it("is named by its folder, its name or the configuration it was begun with", async () => {
    for (const words of [["runs/whole"], ["whole"], ["small.yaml", "--out", "runs/whole"]])
      expect(await facts(["train", ...words, "--resume"], at)).toMatchObject({
        steps: STEPS,
        notices: [`runs/whole has taken its ${STEPS} steps before: --set steps=N, with N > ${STEPS}, lets it go on.`],
      });
    expect(new Set(written("whole").trajectories.map(({ step }) => step))).toEqual(new Set([1, 100, 200, 300, 400]));
  });

  it("and back to its start, trained again from its config.json, is the same run", async () => {
    await facts(["train", "runs/ended-by-SIGKILL/config.json", "--out", "runs/again"], at);
    expect(written("again")).toEqual(written("whole"));
  });
});

describe("going on with what cannot", () => {
  it.each([
    [
      "a changed file",
      ["edited.yaml", "--out", "runs/whole", "--resume"],
      /edited\.yaml has groupSize 8, and runs\/whole was begun with 4: .*train runs\/whole --resume/,
    ],
    ["a setting that is fixed", ["whole", "--resume", "--set", "groupSize=8"], /was begun with groupSize 4, got 8/],
    ["another seed", ["whole", "--resume", "--seed", "6"], /was begun with seed 5, got 6/],
    [
      "a setting of a finished run",
      ["whole", "--resume", "--set", "temperature=0.5"],
      /has taken its 400 steps, after which temperature would change nothing: --set steps=N, with N > 400/,
    ],
    ["other weights", ["small.yaml", "--resume", "--from", "whole"], /--from is of a run that begins, and --resume goes on with one/],
    ["another trainer", ["whole", "--resume", "--backend", "trl"], /--backend trl is of a run that begins/],
    ["a plan", ["whole", "--resume", "--dry-run"], /--dry-run is of a run that begins/],
    [
      "another folder",
      ["runs/whole", "--resume", "--out", "runs/other"],
      /runs\/whole names the run that goes on: leave --out runs\/other out/,
    ],
    ["a run without --resume", ["runs/whole"], /runs\/whole is a saved run: rollout-lab train runs\/whole --resume/],
    ["a run that is not there", ["runs/whale", "--resume"], /there is no run at runs\/whale \(did you mean runs\/whole\?\)/],
  ] as const)("%s is refused with what to do", async (_, words, sentence) => {
    writeFileSync(file("edited.yaml"), readFileSync(file("small.yaml"), "utf8").replace("groupSize: 4", "groupSize: 8"));
    const before = readFileSync(file("runs/whole/save/save.json"), "utf8");
    await fails(["train", ...words], at, 1, sentence);
    expect(readFileSync(file("runs/whole/save/save.json"), "utf8")).toBe(before);
  });
});

describe("a start that comes to nothing", () => {
  it("by a signal at any moment before the first step ends with 130 and one line, and leaves no folder", async () => {
    writeFileSync(file("slow.yaml"), "preset: boxed-arithmetic\nbackend: wasm\nsteps: 5\nevalEvery: 0\n");
    for (const said of ["preparing", null] as const) {
      const training = start(["train", "slow.yaml", "--out", "runs/early", "--progress", "json"], alone);
      if (said !== null) await training.says(`"type":"${said}"`);
      // From when on the program can hear at all.
      else await new Promise((resolve) => setTimeout(resolve, 400));
      training.signal(said === null ? "SIGTERM" : "SIGINT");
      const { code, stderr } = await training.ended;
      expect(code).toBe(130);
      const last = stderr.trim().split("\n").at(-1);
      if (!existsSync(file("runs/early"))) expect(last).toMatch(/^rollout-lab: interrupted.*the same command begins( it)? again$/);
      else
        expect(await facts(["list"], at)).toMatchObject({
          runs: expect.arrayContaining([expect.objectContaining({ run: "runs/early", step: 0 })]),
        });
      await run(["train", "runs/early", "--resume", "--set", "steps=1"], alone);
    }
  }, 60_000);

  it("for memory leaves no folder", async () => {
    const huge = [
      "--set",
      "hiddenSize=1024",
      "--set",
      "heads=16",
      "--set",
      "kvHeads=16",
      "--set",
      "groupSize=1024",
      "--set",
      "promptsPerStep=256",
    ];
    const { code, stderr } = await run(["train", "small.yaml", "--out", "runs/huge", ...huge, "--set", "microBatchTokens=1000000"], at);
    expect([code, stderr]).toEqual([1, expect.stringMatching(/^rollout-lab: [^\n]+\n$/)]);
    expect(existsSync(file("runs/huge"))).toBe(false);
  });

  it("by a power cut leaves a folder that eval and resume send to train, and that train takes over", async () => {
    mkdirSync(file("runs/cut/checkpoints"), { recursive: true });
    writeFileSync(
      file("runs/cut/run.json"),
      JSON.stringify({ runId: "cut", command: ["train", "small.yaml", "--set", "taskOptions={length: 3}"] }),
    );
    writeFileSync(file("runs/cut/evaluations.jsonl"), '{"type":"baseline","record":{"kind":"random"}}\n{"type":');
    const again =
      /runs\/cut ended before its start was saved: rollout-lab train small\.yaml --set 'taskOptions=\{length: 3\}' --out runs\/cut begins it again/;
    for (const words of [
      ["eval", "cut"],
      ["sample", "cut"],
      ["train", "cut", "--resume"],
      ["train", "small.yaml", "--out", "runs/cut", "--resume"],
    ])
      await fails(words, at, 1, again);
    // Where another process is at it, nothing was cut off.
    writeFileSync(file("runs/cut/.pid"), String(process.pid));
    await fails(["eval", "cut"], alone, 1, new RegExp(`process ${process.pid} is training runs/cut: wait for it or end it`));
    rmSync(file("runs/cut/.pid"));
    await facts(["train", "small.yaml", "--set", "taskOptions={length: 3}", "--out", "runs/cut"], at);
    expect(written("cut").evaluations[0]).toMatchObject({ record: { kind: "random", accuracy: expect.any(Number) } });
    await fails(["train", "small.yaml", "--out", "runs/cut"], at, 1, /runs\/cut holds a run already: rollout-lab train runs\/cut --resume/);
    expect(readdirSync(file("runs/cut")).sort()).toContain("save");
  });
});
