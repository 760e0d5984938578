// Archives as other programs open them.
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { zipOf } from "../../../src/protocol/run/zip.ts";

const place = mkdtempSync(join(tmpdir(), "zip-"));
afterAll(() => rmSync(place, { recursive: true, force: true }));

const READ = `import json, sys, zipfile
archive = zipfile.ZipFile(sys.argv[1])
print(json.dumps([archive.testzip(), {name: list(archive.read(name)) for name in archive.namelist()}]))`;

const python = ["python3", "python"].find((name) => {
  try {
    return execFileSync(name, ["--version"], { stdio: "pipe" }).length > 0;
  } catch {
    return false;
  }
});

describe.skipIf(!python)("an archive", () => {
  it.each([
    ["some files, one in a folder, one empty, one with a name beyond ASCII", { "a/b.txt": [1, 2, 255], empty: [], "Größe.csv": [7] }],
    ["no file", {}],
  ])("of %s is opened by Python, its checksums right", (_, files: Readonly<Record<string, number[]>>) => {
    const path = join(place, "files.zip");
    writeFileSync(path, zipOf(Object.entries(files).map(([name, bytes]) => [name, Uint8Array.from(bytes)])));
    expect(JSON.parse(execFileSync(python!, ["-c", READ, path], { encoding: "utf8" }))).toEqual([null, files]);
  });
});
