// Files are written behind a run: what goes wrong after its last step must still be heard.
import fs from "node:fs";
import files from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { createRunFolder } from "../../src/cli/folder/runFolder.ts";
import { createNodeHost } from "../../src/cli/nodeHost.ts";
import { trainInFolder } from "../../src/cli/training/trainInFolder.ts";
import type { RunConfigInput } from "../../src/protocol/config.ts";

const { appendFileSync } = fs;

/** From what is written of this step on, a file of that name is on a full disk. */
function fillDisk(name: string, step: number): void {
  fs.appendFileSync = (path, data, options) => {
    if (!String(path).endsWith(name) || !String(data).includes(`"step":${step}`)) return appendFileSync(path, data, options);
    throw Object.assign(new Error("ENOSPC: no space left on device"), { code: "ENOSPC" });
  };
  syncBuiltinESMExports();
}

let folder = "";
afterEach(async () => {
  fs.appendFileSync = appendFileSync;
  syncBuiltinESMExports();
  await files.rm(folder, { recursive: true, force: true });
});

/** A run of a table in a folder of its own. */
const train = async (config: RunConfigInput, tell: (type: string) => void) =>
  trainInFolder({
    folder: await createRunFolder(join(folder, "run"), { name: "run" }),
    from: { config: { task: "digit-sum", model: "tabular", promptsPerStep: 1, groupSize: 4, evalEvery: 1, ...config }, parent: null },
    host: createNodeHost(),
    trajectories: 1,
    progress: { tell: ({ type }) => tell(type), doing() {}, at() {}, end() {} },
    interrupt: { onAsked() {}, isAsked: false },
  });

it.each(["metrics.jsonl", "evaluations.jsonl", "trajectories.jsonl"])(
  "a disk that is full for %s after the last step fails the run",
  async (file) => {
    folder = await files.mkdtemp(join(tmpdir(), "late-"));
    const told: string[] = [];
    fillDisk(file, 2);
    const training = train({ steps: 2 }, (type) => told.push(type));
    await expect(training).rejects.toThrow(new RegExp(`${file}.*no space|${file}.*full`));
    // The run itself had come to its end by then.
    expect(told.filter((type) => type === "step")).toHaveLength(2);
  },
);

it("changes that follow each other at once are written one after another, the last one last", async () => {
  folder = await files.mkdtemp(join(tmpdir(), "changes-"));
  const rates = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8];
  const changes = rates.map((learningRate, i) => ({ afterStep: i + 1, settings: { learningRate } }));
  await train({ steps: 40, evalEvery: 0, changes }, () => {});
  const config = JSON.parse(await files.readFile(join(folder, "run", "config.json"), "utf8"));
  expect(config.learningRate).toBe(0.8);
  expect(config.changes.slice(-rates.length)).toEqual(changes);
});
