// Files from elsewhere that would keep a program reading for ever: each ends with a line that names the file.
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parquetWriteBuffer } from "hyparquet-writer";
import { afterAll, describe, it } from "vitest";
import { fails, temporaryFolder } from "./program.ts";

const folder = temporaryFolder();
const { at, alone } = folder;
const file = (...parts: readonly string[]) => join(folder.path, ...parts);
afterAll(folder.remove);

describe("a file that has no end", () => {
  it("is data whose library reads it for ever", async () => {
    const data = Array.from({ length: 60 }, (_, i) => `what is ${i % 5}?`);
    const column = (name: string) => ({ name, data, type: "STRING" }) as const;
    const bytes = parquetWriteBuffer({ columnData: [column("question"), column("answer")], codec: "UNCOMPRESSED" });
    writeFileSync(file("endless.parquet"), new Uint8Array(bytes).fill(0, 100, 120));
    writeFileSync(file("endless.yaml"), "data: ./endless.parquet\n");
    await fails(
      ["train", "endless.yaml"],
      alone,
      1,
      /endless\.parquet must be read within 16 s, as sound files of its size are: it is damaged/,
    );
  });

  it("is a pipe or a folder in the place of one of a model's", async () => {
    cpSync(join(import.meta.dirname, "..", "..", "reference", "hf-llama-gqa-tied"), file("model"), { recursive: true });
    writeFileSync(file("own.yaml"), "task: digit-sum\nmodel: transformer\nklEstimator: k3\nsteps: 1\n");
    rmSync(file("model", "config.json"));
    execFileSync("mkfifo", [file("model", "config.json")]);
    await fails(["train", "own.yaml", "--from", "model"], at, 1, /config\.json must be a file, got a pipe or a device/);
    rmSync(file("model", "config.json"));
    mkdirSync(file("model", "config.json"));
    await fails(["train", "own.yaml", "--from", "model"], at, 1, /config\.json must be a file, got a folder/);
  });
});
