// A sweep that was interrupted or killed, at any moment, goes on by the command that it advises: every run is there once, and the
// report is that of a sweep that nothing disturbed.
import { execFileSync } from "node:child_process";
import { closeSync, constants, cpSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { isTimedMetric } from "../../../src/protocol/records.ts";
import { facts, fails, linesOf, start, TRANSFORMER, temporaryFolder } from "./program.ts";

const folder = temporaryFolder();
const { at, alone } = folder;
const file = (...parts: readonly string[]) => join(folder.path, ...parts);
const BEGUN = ["small.yaml", "--over", "learningRate=0.02,0.2", "--seeds", "2", "--set", "steps=120", "--set", "evalEvery=60"];

interface Report {
  readonly out: string;
  readonly runs: readonly { readonly run: string; readonly seconds: number }[];
  readonly resume?: string;
}

/** What a sweep's report says and its runs hold, without what measures time and the name of its folder. */
function cameTo({ out, runs, ...said }: Report) {
  const untimed = (line: Readonly<Record<string, unknown>>) => Object.entries(line).filter(([key]) => !isTimedMetric(key));
  const text = JSON.stringify({ ...said, runs: runs.map(({ seconds: _, ...each }) => each) });
  return {
    report: JSON.parse(text.replaceAll(`${out}/`, "").replaceAll(`"${out.replace(/^runs\//, "")}"`, '"name"')) as unknown,
    metrics: runs.map(({ run }) => linesOf(file(run, "metrics.jsonl")).map(untimed)),
    evaluations: runs.map(({ run }) => linesOf(file(run, "evaluations.jsonl"))),
  };
}

let whole: ReturnType<typeof cameTo>;
let tries = 0;
beforeAll(async () => {
  writeFileSync(file("small.yaml"), TRANSFORMER);
  whole = cameTo(await facts<Report>(["sweep", ...BEGUN, "--out", "runs/whole"], alone));
}, 60_000);
afterAll(folder.remove);

describe("a sweep", () => {
  it.each(["SIGKILL", "SIGINT"] as const)(
    "ended by %s again and again has each run once, and shows what one shows that nothing disturbed",
    async (signal) => {
      // A second try must not find what a first one left.
      const out = `runs/ended-by-${signal}-${++tries}`;
      let words: readonly string[] = ["sweep", ...BEGUN, "--out", out];
      // Amid a run, between two, and where one has just begun.
      const moments = ['"step":3,', '"type":"part"', '"type":"preparing"', '"step":90,', '"type":"part"'] as const;
      let ends = 0;
      for (const [i, moment] of moments.entries()) {
        const sweep = start([...words, "--json", "--progress", "json"], alone);
        await Promise.race([sweep.says(moment), sweep.ended]);
        await new Promise((resolve) => setTimeout(resolve, 20 * i));
        sweep.signal(signal);
        const { code, stdout } = await sweep.ended;
        if (code === 0) break;
        ends += 1;
        const advised = `rollout-lab sweep ${out} --resume`;
        if (signal === "SIGINT")
          expect(JSON.parse(stdout)).toMatchObject({ ok: false, exitCode: 130, runs: expect.any(Array), resume: advised });
        words = ["sweep", out, "--resume"];
      }
      expect(ends).toBeGreaterThan(1);
      const report = await facts<Report>(["sweep", out, "--resume"], alone);
      expect(cameTo(report)).toEqual(whole);
      expect(JSON.parse(readFileSync(file(out, "sweep.json"), "utf8"))).toMatchObject({ out, runs: report.runs });
    },
    90_000,
  );

  it("that is over is told again, and its folder takes no other", async () => {
    expect(cameTo(await facts<Report>(["sweep", "runs/whole", "--resume"], at))).toEqual(whole);
    await fails(
      ["sweep", ...BEGUN, "--out", "runs/whole"],
      at,
      1,
      /runs\/whole holds a sweep already: rollout-lab sweep runs\/whole --resume/,
    );
  });

  it("interrupted while it passes runs that are over says how it goes on", async () => {
    const out = `runs/interrupted-${++tries}`;
    cpSync(file("runs", "whole"), file(out), { recursive: true });
    const [first, second, ...others] = (await facts<Report>(["sweep", out, "--resume"], at)).runs.map(({ run }) => run);
    for (const run of others) rmSync(file(run), { recursive: true });
    // What the second came to can be read only once it is written here: the interrupt comes before that.
    const end = file(second!, "summary.json");
    const held = readFileSync(end, "utf8");
    rmSync(end);
    execFileSync("mkfifo", [end]);
    const sweep = start(["sweep", out, "--resume", "--json", "--progress", "json"], alone);
    await sweep.says('"type":"part"');
    sweep.signal("SIGINT");
    await Promise.race([new Promise((resolve) => setTimeout(resolve, 500)), sweep.ended]);
    const written = await vi.waitFor(() => openSync(end, constants.O_WRONLY | constants.O_NONBLOCK), 10_000);
    writeFileSync(written, held);
    closeSync(written);
    const { code, stdout } = await sweep.ended;
    expect({ code, ...JSON.parse(stdout) }).toMatchObject({ code: 130, exitCode: 130, resume: `rollout-lab sweep ${out} --resume` });
    expect(JSON.parse(stdout).runs).toMatchObject([{ run: first }, { run: second }]);
  });

  it("goes on as it was begun alone", async () => {
    const again = ["sweep", "runs/whole", "--resume"];
    await fails([...again, "--seeds", "3"], at, 1, /--seeds is of a sweep that begins, and --resume goes on with one/);
    await fails(["sweep", "runs/none", "--resume"], at, 1, /runs\/none\/sweep\.json/);
    writeFileSync(file("small.yaml"), TRANSFORMER.replace(/groupSize: \d+/, "groupSize: 16"));
    await fails(again, at, 1, /small\.yaml has groupSize 16 by now, and runs\/whole began with \d+: put it back to go on/);
    writeFileSync(file("small.yaml"), TRANSFORMER);
  });
});
