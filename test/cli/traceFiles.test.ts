// Files of a folder come by their names, whatever order a disk tells them in.
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { traceFilesOf } from "../../src/cli/traces/traceFiles.ts";

it("brings the files of runs in the order of their names and steps", async () => {
  const folder = await mkdtemp(join(tmpdir(), "runs-"));
  const inOrder = ["a/2.jsonl", "a/10.jsonl", "b/2.jsonl", "b/10.jsonl", "run-2/1.jsonl", "run-10/1.jsonl"];
  try {
    for (const path of inOrder.toReversed()) {
      await mkdir(join(folder, path, ".."), { recursive: true });
      await writeFile(join(folder, path), "{}\n");
    }
    const files = await traceFilesOf([folder]);
    expect(files.map(({ path }) => path.slice(path.indexOf("/") + 1))).toEqual(inOrder);
  } finally {
    await rm(folder, { recursive: true });
  }
});
