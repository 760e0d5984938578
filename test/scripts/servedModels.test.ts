// Models beside the build are served from the disk in the parts that are asked for, and nothing beside them is.
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { serve } from "../../scripts/serve.mjs";

const root = mkdtempSync(join(tmpdir(), "rollout-lab-served-"));
const models = join(root, "models");
const weights = Uint8Array.from({ length: 100_000 }, (_, i) => i % 251);
const source = { repository: "owner/name", revision: "main", commit: null, licence: "apache-2.0" };
let server: Awaited<ReturnType<typeof serve>>;

beforeAll(async () => {
  for (const name of ["site/models/base", "models/tiny", "models/base", "models/half.part", "models/empty", "elsewhere"])
    mkdirSync(join(root, name), { recursive: true });
  writeFileSync(join(root, "site", "index.html"), "<!doctype html><title>page</title>");
  writeFileSync(join(root, "site", "models", "base", "config.json"), "the build's");
  for (const name of ["tiny", "base", "half.part"]) writeFileSync(join(models, name, "config.json"), name);
  writeFileSync(join(models, "tiny", "model.safetensors"), weights);
  writeFileSync(join(models, "tiny", "none.bin"), "");
  writeFileSync(join(models, "tiny", "source.json"), JSON.stringify(source));
  writeFileSync(join(models, "base", "source.json"), "{");
  writeFileSync(join(root, "elsewhere", "config.json"), "secret");
  symlinkSync(join(root, "elsewhere"), join(models, "linked"));
  symlinkSync(join(root, "elsewhere", "config.json"), join(models, "tiny", "linked.json"));
  server = await serve({ port: 45_190, host: "localhost", folder: join(root, "site"), models });
});
afterAll(() => {
  server.close();
  rmSync(root, { recursive: true });
});

const ask = (path: string, range?: string, method = "GET") =>
  fetch(`${server.url}models/${path}`, { method, headers: range === undefined ? {} : { range } });

describe("a served model", () => {
  it("comes whole and in parts, under the page's guards", async () => {
    const whole = await ask("tiny/model.safetensors");
    expect([whole.status, whole.headers.get("content-length")]).toEqual([200, "100000"]);
    expect(whole.headers.get("cross-origin-resource-policy")).toBe("same-origin");
    expect(new Uint8Array(await whole.arrayBuffer())).toEqual(weights);
    const part = await ask("tiny/model.safetensors", "bytes=500-999");
    expect([part.status, part.headers.get("content-range")]).toEqual([206, "bytes 500-999/100000"]);
    expect(new Uint8Array(await part.arrayBuffer())).toEqual(weights.subarray(500, 1000));
    expect((await ask("tiny/model.safetensors", "bytes=100000-")).status).toBe(416);
    const head = await ask("tiny/model.safetensors", undefined, "HEAD");
    expect([head.status, head.headers.get("content-length"), await head.text()]).toEqual([200, "100000", ""]);
    expect(await (await ask("tiny/none.bin")).text()).toBe("");
  });

  it("gives way to one of the build's", async () => {
    expect(await (await ask("base/config.json")).text()).toBe("the build's");
  });

  it.each(["linked/config.json", "tiny/linked.json", "tiny/..%2f..%2felsewhere%2fconfig.json", "..%2felsewhere/config.json", ".hidden/x"])(
    "is not %s",
    async (path) => {
      expect((await ask(path)).status).toBe(404);
    },
  );

  it("is listed with its files and where it came from; what is being brought or cannot be read is not", async () => {
    const list = await (await ask("served.json")).json();
    expect(list).toHaveLength(1);
    expect(list[0]).toMatchObject({ name: "tiny", source });
    expect(list[0].files).toContainEqual({ name: "model.safetensors", bytes: 100_000 });
    expect(list[0].files.map(({ name }: { name: string }) => name)).not.toContain("linked.json");
  });
});

describe("a server without models", () => {
  it("lists none", async () => {
    const other = await serve({ port: 45_195, host: "localhost", folder: join(root, "site"), models: join(root, "gone") });
    expect(await (await fetch(`${other.url}models/served.json`)).json()).toEqual([]);
    other.close();
  });
});
