// Files are written behind a run: what goes wrong after its last step must still be heard.
import files from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { createRunFolder } from "../../src/cli/folder/runFolder.ts";
import { createNodeHost } from "../../src/cli/nodeHost.ts";
import { trainInFolder } from "../../src/cli/training/trainInFolder.ts";

/** Longer than the run that is trained here takes after its first line. */
const LATE_MS = 400;
const { appendFile } = files;

/** From here on a file of that name is on a full disk, which says so late. */
function fillDisk(name: string): void {
  files.appendFile = async (path, data, options) => {
    if (!String(path).endsWith(name)) return appendFile(path, data, options);
    await new Promise((resolve) => setTimeout(resolve, LATE_MS));
    throw Object.assign(new Error("ENOSPC: no space left on device"), { code: "ENOSPC" });
  };
  syncBuiltinESMExports();
}

let folder = "";
afterEach(async () => {
  files.appendFile = appendFile;
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
