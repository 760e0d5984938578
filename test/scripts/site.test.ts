// What is served of a folder, and what becomes of it while another build is made there.
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { openSite } from "../../scripts/serve/site.mjs";
import { serve } from "../../scripts/serve.mjs";

let folder = "";
let builds = 0;

/** Empties the folder and writes files, as a build does; its stamp comes last. */
function build(files: Readonly<Record<string, string>>, isFinished = true): void {
  rmSync(folder, { recursive: true });
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(folder, path, ".."), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  if (!isFinished) return;
  writeFileSync(join(folder, ".stamp"), "sources");
  builds += 1;
  utimesSync(join(folder, ".stamp"), builds, builds);
}

const textOf = (site: Awaited<ReturnType<typeof openSite>>["site"], path: string) => site.files.get(path)?.plain.bytes.toString();

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "rollout-lab-site-"));
  build({ "index.html": "first page", "assets/app-1.js": "first script", "assets/part-1.js": "first part" });
});

afterEach(() => rmSync(folder, { recursive: true }));

it("a file that is gone is still served, as the page that is open was built with it", async () => {
  const server = await serve({ port: 45_270, host: "localhost", folder });
  rmSync(join(folder, "assets", "part-1.js"));
  const answer = await fetch(`${server.url}assets/part-1.js`);
  expect([answer.status, await answer.text()]).toEqual([200, "first part"]);
  expect((await fetch(server.url)).status).toBe(200);
  server.close();
});

it("a build that is being made is not served before it is finished", async () => {
  const opened = await openSite(folder);
  build({ "index.html": "second page" }, false);
  expect(textOf(await opened.latest(), "/index.html")).toBe("first page");
  build({ "index.html": "second page", "assets/app-2.js": "second script" });
  const site = await opened.latest();
  expect(textOf(site, "/index.html")).toBe("second page");
  expect(textOf(site, "/assets/app-2.js")).toBe("second script");
});

it("pages of the build before find their parts, and those of older builds do not", async () => {
  const opened = await openSite(folder);
  build({ "index.html": "second page", "assets/app-2.js": "second script" });
  expect(textOf(await opened.latest(), "/assets/part-1.js")).toBe("first part");
  build({ "index.html": "third page" });
  const site = await opened.latest();
  expect(textOf(site, "/assets/app-2.js")).toBe("second script");
  expect(site.files.has("/assets/part-1.js")).toBe(false);
});

it("a folder that goes away leaves what was read", async () => {
  const opened = await openSite(folder);
  rmSync(folder, { recursive: true });
  expect(textOf(await opened.latest(), "/index.html")).toBe("first page");
  mkdirSync(folder);
});

it("links and hidden files are no part of it", async () => {
  const outside = mkdtempSync(join(tmpdir(), "rollout-lab-outside-"));
  writeFileSync(join(outside, "secret.txt"), "secret");
  symlinkSync(outside, join(folder, "folder"));
  symlinkSync(join(outside, "secret.txt"), join(folder, "file.txt"));
  const { site } = await openSite(folder);
  expect([...site.files.keys()].sort()).toEqual(["/assets/app-1.js", "/assets/part-1.js", "/index.html"]);
  rmSync(outside, { recursive: true });
});

it("a folder without a build is refused with what to do", async () => {
  await expect(openSite(join(folder, "none"))).rejects.toThrow("cannot be served: run `npm run build` first");
});

it("what a package holds once, in public/ beside the build, is served too, and nothing else from there", async () => {
  const built = join(folder, "dist");
  const beside = [
    ["dist/index.html", "page"],
    ["dist/models/base/config.json", "built"],
    ["public/models/base/config.json", "taken"],
    ["public/models/words/config.json", "words"],
    ["public/secret.txt", "no"],
  ] as const;
  for (const [path, text] of beside) {
    mkdirSync(join(folder, path, ".."), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  const { site } = await openSite(built);
  expect([...site.files.keys()].sort()).toEqual(["/index.html", "/models/base/config.json", "/models/words/config.json"]);
  expect(textOf(site, "/models/base/config.json")).toBe("built");
  expect(textOf(site, "/models/words/config.json")).toBe("words");
});
