// Data sets of the hub on the command line, from a server on this machine that answers as the hub does.
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parquetWriteBuffer } from "hyparquet-writer";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { traceFilesOf } from "../../src/cli/traces/traceFiles.ts";
import { readConfigFile } from "../../src/cli/training/configFile.ts";
import { openTraces } from "../../src/traces/openTraces.ts";
import { SAMPLES } from "../support/traceFiles.ts";

const rows = (from: number, count: number) => {
  const at = Array.from({ length: count }, (_, i) => from + i);
  return new Uint8Array(
    parquetWriteBuffer({
      columnData: [
        { name: "question", data: at.map((i) => `${i} + 1 = ?`) },
        { name: "answer", data: at.map((i) => `It is ${i + 1}.\n#### ${i + 1}`) },
      ],
    }),
  );
};
/** Rollouts without a step. */
const chats = (from: number) => {
  const at = Array.from({ length: 4 }, (_, i) => from + i);
  const columns = [
    { name: "prompt", data: at.map((i) => `${i >> 1} + 1 = ?`) },
    { name: "completion", data: at.map((i) => `It is ${(i >> 1) + 1 + (i % 2)}.`) },
    { name: "reward", data: at.map((i) => 1 - (i % 2)) },
  ];
  return new Uint8Array(parquetWriteBuffer({ columnData: columns }));
};
const FILES: Readonly<Record<string, Uint8Array>> = {
  "main/train/0": rows(0, 5),
  "main/train/1": rows(5, 4),
  "main/test/0": rows(20, 3),
  "socratic/train/0": rows(0, 2),
  "chats/train/0": chats(0),
  "chats/train/1": chats(4),
  "rollouts/train/0": new Uint8Array(readFileSync(join(SAMPLES, "trl/completions_00001.parquet"))),
  "rollouts/train/1": new Uint8Array(readFileSync(join(SAMPLES, "trl/completions_00002.parquet"))),
};

/** What a network between answers in the place of the next files. */
const inPlace: { readonly type: string; readonly body: string | Uint8Array }[] = [];
let server: Server;
let folder: string;
const before = { endpoint: process.env.HF_ENDPOINT, cwd: process.cwd() };
const asked: string[] = [];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "rollout-lab-data-"));
  server = createServer((request, response) => {
    const path = request.url ?? "";
    asked.push(path);
    const base = `http://${request.headers.host}`;
    const found = FILES[path.slice(1)];
    const instead = found && inPlace.shift();
    if (instead) return void response.writeHead(200, { "content-type": instead.type }).end(instead.body);
    if (found) return void response.end(found);
    const url = (name: string) => `${base}/${name}`;
    if (path === "/api/datasets/lab/rollouts/parquet")
      return void response.end(JSON.stringify({ default: { train: [url("rollouts/train/0"), url("rollouts/train/1")] } }));
    if (path === "/api/datasets/lab/chats/parquet")
      return void response.end(JSON.stringify({ default: { train: [url("chats/train/0"), url("chats/train/1")] } }));
    if (path !== "/api/datasets/lab/sums/parquet") return void response.writeHead(404).end();
    response.end(
      JSON.stringify({
        main: { train: [url("main/train/0"), url("main/train/1")], test: [url("main/test/0")] },
        socratic: { train: [url("socratic/train/0")] },
      }),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  process.env.HF_ENDPOINT = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  process.chdir(folder);
});

afterAll(() => {
  process.chdir(before.cwd);
  if (before.endpoint === undefined) delete process.env.HF_ENDPOINT;
  else process.env.HF_ENDPOINT = before.endpoint;
  server.close();
  rmSync(folder, { recursive: true });
});

async function said(yaml: string) {
  writeFileSync("mine.yaml", `${yaml}\n`);
  const { input, loaded } = await readConfigFile("mine.yaml");
  return { input, rows: loaded?.data?.rows };
}

describe("data: OWNER/NAME", () => {
  it.each([
    ["a page", { type: "text/html", body: "<html>Sign in</html>" }, /a page came in its place/],
    ["a page under another name", { type: "application/octet-stream", body: "<!doctype html>" }, /a page came in its place/],
    ["something else", { type: "application/octet-stream", body: "{}" }, /must be a Parquet file, got 2 bytes of something else/],
    ["half of a file", { type: "application/octet-stream", body: rows(0, 5).subarray(0, 200) }, /must be a Parquet file, got 200 bytes/],
    ["nothing", { type: "application/octet-stream", body: "" }, /must be a Parquet file, got 0 bytes/],
  ])("keeps nothing of %s that a network sends in a file's place", async (_, instead, sentence) => {
    inPlace.push(instead);
    await expect(said("data: lab/sums")).rejects.toThrow(sentence);
    expect(readdirSync(join("datasets", "lab--sums", "main"))).toEqual([]);
  });

  it("brings the splits of a data set once, all of their files, and reads its answers", async () => {
    expect((await said("data: lab/sums")).rows).toBe("9 rows to train on, 3 held out");
    const count = asked.length;
    expect((await said("data: { dataset: lab/sums, config: main }")).rows).toBe("9 rows to train on, 3 held out");
    expect(asked).toHaveLength(count);
    expect(readdirSync(join("datasets", "lab--sums", "main", "train"))).toEqual(["00000.parquet", "00001.parquet"]);
  });

  it("takes the configuration and the splits that are named", async () => {
    expect((await said("data: { dataset: lab/sums, config: socratic }")).rows).toBe("2 rows, 1 of them held out");
    expect((await said("data: { dataset: lab/sums, config: main, split: test, heldOut: train }")).rows).toBe(
      "3 rows to train on, 9 held out",
    );
  });

  it.each([
    ["data: lab/none", /the data set lab\/none is not there \(404\)/],
    ["data: { dataset: lab/sums, config: other }", /data.config .*other/],
    ["data: { dataset: lab/sums, config: main, split: dev }", /data.split .*dev/],
    ["data: { dataset: lab/sums, file: ./a.csv }", /data must have file or dataset, not both/],
    ["data: { file: ./a.csv, split: test }", /data.split must stand beside dataset; a file has none/],
    ["data: { dataset: lab/sums, heldOut: train }", /data.heldOut must be another split than data.split, got train/],
  ])("refuses %s", async (yaml, sentence) => {
    await expect(said(yaml)).rejects.toThrow(sentence);
  });
});

it("model: OWNER/NAME is the checkpoint to begin with", async () => {
  expect((await said("model: Qwen/Qwen2.5-0.5B-Instruct")).input).toMatchObject({
    ...{ model: "transformer", startFrom: "checkpoint", checkpoint: "Qwen/Qwen2.5-0.5B-Instruct" },
  });
  expect((await said("model: tabular")).input).toEqual({ model: "tabular" });
});

describe("open OWNER/NAME", () => {
  it("reads the rollouts that somebody published, brought once", async () => {
    const { report } = await openTraces(await traceFilesOf(["lab/rollouts"]), {});
    expect(report).toMatchObject({ form: "trl", files: 2, rollouts: 32, steps: [1, 2] });
    const before = asked.length;
    await traceFilesOf(["lab/rollouts"]);
    expect(asked.length).toBe(before);
  });

  it("takes no piece of a split for a step", async () => {
    const { report } = await openTraces(await traceFilesOf(["lab/chats"]), {});
    expect(report).toMatchObject({ form: "chat", files: 2, rollouts: 8, steps: [0] });
  });

  it.each([
    ["lab/none", {}, "there is no lab/none here, and as a data set of the hub: the data set lab/none is not there (404)"],
    ["lab/rollouts", { split: "dev" }, "--split"],
    ["lab/sums", { subset: "other" }, "--subset"],
    ["lab/none.jsonl", {}, "there is no lab/none.jsonl"],
    ["nothing", {}, "there is no nothing"],
  ])("refuses %s %o", async (name, part, sentence) => {
    await expect(traceFilesOf([name], part)).rejects.toThrow(sentence);
  });
});
