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

const { appendFileSync } = fs;

/** From here on a file of that name is on a full disk. */
function fillDisk(name: string): void {
  fs.appendFileSync = (path, data, options) => {
    if (!String(path).endsWith(name)) return appendFileSync(path, data, options);
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

it.each(["metrics.jsonl", "evaluations.jsonl", "trajectories.jsonl"])(
  "a disk that is full for %s after the last step fails the run",
  async (file) => {
    fillDisk(file);
    folder = await files.mkdtemp(join(tmpdir(), "late-"));
    const told: string[] = [];
    const training = trainInFolder({
      folder: await createRunFolder(join(folder, "run"), { name: "late" }),
      from: { config: { task: "digit-sum", model: "tabular", steps: 2, promptsPerStep: 1, groupSize: 4, evalEvery: 1 }, giver: null },
      host: createNodeHost(),
      trajectories: 1,
      progress: { tell: ({ type }) => told.push(type), doing() {}, at() {}, end() {} },
      interrupt: { onAsked() {}, isAsked: false },
    });
    await expect(training).rejects.toThrow(new RegExp(`${file}.*no space|${file}.*full`));
    // The run itself had come to its end by then.
    expect(told.filter((type) => type === "step")).toHaveLength(2);
  },
);
