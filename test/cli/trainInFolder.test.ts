// Files are written behind a run: what goes wrong after its last step must still be heard.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, it, vi } from "vitest";
import { createNodeHost } from "../../src/cli/nodeHost.ts";
import { createRunFolder } from "../../src/cli/runs/runFolder.ts";
import { trainInFolder } from "../../src/cli/runs/trainInFolder.ts";

/** Longer than the run that is trained here takes after its first line. */
const LATE_MS = 400;
const disk = vi.hoisted(() => ({ full: "" }));

vi.mock("node:fs/promises", async (original) => {
  const real = await original<typeof import("node:fs/promises")>();
  return {
    ...real,
    async appendFile(path: string, text: string) {
      if (!path.endsWith(disk.full)) return real.appendFile(path, text);
      await new Promise((resolve) => setTimeout(resolve, LATE_MS));
      throw Object.assign(new Error("ENOSPC: no space left on device"), { code: "ENOSPC" });
    },
  };
});

let folder = "";
afterEach(() => rm(folder, { recursive: true, force: true }));

it.each(["metrics.jsonl", "evaluations.jsonl", "trajectories.jsonl"])(
  "a disk that is full for %s after the last step fails the run",
  async (file) => {
    disk.full = file;
    folder = await mkdtemp(join(tmpdir(), "late-"));
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
