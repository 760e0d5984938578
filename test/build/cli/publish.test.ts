// A run published into a folder for static hosts: what lies there, and which folders are left alone.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { facts, fails, run, TABLE, temporaryFolder } from "./program.ts";

const folder = temporaryFolder();
const { at, alone } = folder;
const file = (...parts: readonly string[]) => join(folder.path, ...parts);
const text = (...parts: readonly string[]) => readFileSync(file(...parts), "utf8");

beforeAll(async () => {
  writeFileSync(file("table.yaml"), TABLE);
  await run(["train", "table.yaml", "--out", "runs/a"], at);
  await run(["export", "a", "--to", "rollout", "--out", "out"], at);
});
afterAll(folder.remove);

describe("publish", () => {
  it("writes the page with the run's recording, a report and frames, and lists all of it for use without a connection", async () => {
    const found = await facts<{ readonly recording: string }>(["publish", "a", "--to", "site"], alone);
    expect(found).toMatchObject({ recording: "run/a.rollout", report: "report.html", frames: "embed/index.html" });
    expect(text("site/index.html")).toMatch(
      /<script src="run\/open\.js" data-run="run\/a\.rollout" data-bytes="\d+"><\/script>\s+<\/body>/,
    );
    expect(readFileSync(file("site/run/a.rollout")).equals(readFileSync(file("out/a.rollout")))).toBe(true);
    expect(text("site/report.html")).toContain('<a href="./">');
    expect(text("site/embed/reward.html")).toMatch(/<svg[\s\S]*seed 0/);
    expect(text("site/embed/conversation-last-1.html")).toContain("../#/rollouts?step=40&amp;prompt=1&amp;completion=");
    const offline = text("site/offline.js").split("\n", 1)[0]!;
    for (const path of ["report.html", "embed/index.html", "run/a.rollout", "index.html"]) expect(offline).toContain(`"${path}"`);
    for (const path of ["kernels", "models", "tokenizers", "sandbox"]) expect(readdirSync(file("site", path)).length).toBeGreaterThan(0);
  });

  it("takes the conversations of one file, and writes its own folder anew without what is no longer in it", async () => {
    writeFileSync(file("site/CNAME.txt"), "mine");
    await facts(["publish", "out/a.rollout", "--to", "site", "--most", "20000"], at);
    expect(text("site/embed/conversation-first-1.html")).toContain("Emit 4 digits");
    expect(text("site/CNAME.txt")).toBe("mine");
    rmSync(file("site/CNAME.txt"));
    writeFileSync(file("site/published.json"), JSON.stringify({ format: "rollout-lab published", files: ["old/gone.html", "index.html"] }));
    mkdirSync(file("site/old"));
    writeFileSync(file("site/old/gone.html"), "");
    await facts(["publish", "a", "--to", "site"], at);
    expect(existsSync(file("site/old/gone.html"))).toBe(false);
    expect(existsSync(file("site/index.html"))).toBe(true);
  });

  it("refuses a folder of somebody else's, and leaves it as it is", async () => {
    mkdirSync(file("foreign"));
    writeFileSync(file("foreign/thesis.tex"), "years");
    const foreign =
      /--to must be a folder that is not there yet, an empty one or one that publish has made, got foreign, which holds thesis\.tex/;
    await fails(["publish", "a", "--to", "foreign"], at, 1, foreign);
    expect(readdirSync(file("foreign"))).toEqual(["thesis.tex"]);
    await fails(["publish", "a", "--to", "table.yaml"], at, 1, /--to must be a folder, got table\.yaml, which is a file/);
    await fails(["publish", "a"], at, 1, /publish needs --to DIR/);
    await fails(["publish", "b", "--to", "other"], at, 1, /there is no run at b/);
    await fails(["publish", "table.yaml", "--to", "other"], at, 1, /table\.yaml cannot be opened/);
    await fails(["publish", "a", "--to", "other", "--most", "100"], at, 1, /takes \d+ bytes at least, more than the 100/);
    expect(existsSync(file("other"))).toBe(false);
  });

  it("follows no list and no link out of its folder", async () => {
    mkdirSync(file("trap"));
    writeFileSync(file("trap/published.json"), JSON.stringify({ format: "rollout-lab published", files: ["../table.yaml"] }));
    await fails(
      ["publish", "a", "--to", "trap"],
      at,
      1,
      /published\.json cannot be used: it names "\.\.\/table\.yaml", which is no file below/,
    );
    expect(existsSync(file("table.yaml"))).toBe(true);
    writeFileSync(file("trap/published.json"), JSON.stringify({ format: "rollout-lab published", files: [] }));
    symlinkSync(file("runs"), file("trap/run"));
    await fails(["publish", "a", "--to", "trap"], at, 1, /--to must be a folder without links, got trap, in which run is one/);
    expect(readdirSync(file("runs"))).toEqual(["a"]);
  });
});
