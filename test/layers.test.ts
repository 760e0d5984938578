// Imports go one way, the engine is free of chance and clocks, files stay short.
import { readdirSync, readFileSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { describe, expect, it } from "vitest";
import { commentsOf, importCircles, importsOf, pathsNamed, sourceProblems } from "./support/sourceRules.ts";

const root = join(import.meta.dirname, "..");
const FOLDERS = ["src", "workers", "test", "scripts", "bench"];

function sourceFiles(folder: string): readonly string[] {
  const entries = readdirSync(join(root, folder), { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && /\.(ts|tsx|mjs)$/.test(entry.name))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)).split(sep).join("/"))
    .filter((path) => !path.includes("/node_modules/"));
}

describe("the sources", () => {
  const paths = FOLDERS.flatMap(sourceFiles);
  const texts = new Map(paths.map((path) => [path, readFileSync(join(root, path), "utf8")]));

  it("are found", () => {
    expect(paths).toContain("src/protocol/messages.ts");
    expect(paths).toContain("test/layers.test.ts");
  });

  it("keep the rules of the architecture", () => {
    const broken = [...texts].flatMap(([path, text]) => sourceProblems(path, text).map((problem) => `${path} ${problem}`));
    expect(broken).toEqual([]);
  });

  it("import nothing in a circle", () => {
    expect(importCircles(texts)).toEqual([]);
  });
});

describe("comments and documents", () => {
  // Every path and its endings: "rl/advantages.ts" and "advantages.ts" both mean src/rl/advantages.ts.
  const known = new Set<string>();
  for (const folder of [...FOLDERS, "docs"])
    for (const entry of readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })) {
      const parts = [folder, ...entry.split(sep)];
      for (let i = 0; i < parts.length; i++) known.add(parts.slice(i).join("/"));
    }
  const heads = FOLDERS.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
      .filter((entry) => entry.endsWith("README.md") && !entry.includes("node_modules"))
      .map((entry) => join(folder, entry).split(sep).join("/")),
  );
  const documents = ["README.md", "AGENTS.md", "docs/architecture.md", "docs/dependencies.md", ...heads];
  for (const path of [...documents, "vite.config.ts", "vitest.config.ts", "playwright.config.ts"]) known.add(path);
  const missing = (prose: string) => pathsNamed(prose).filter((path) => !known.has(path) && !known.has(`${path}.ts`));

  it("name only files and folders that exist", () => {
    const sources = FOLDERS.flatMap(sourceFiles).map((path) => [path, commentsOf(readFileSync(join(root, path), "utf8"))] as const);
    const prose = documents.map((path) => [path, readFileSync(join(root, path), "utf8").replaceAll("FILE.ts", "")] as const);
    expect([...sources, ...prose].flatMap(([path, text]) => missing(text).map((named) => `${path} names ${named}`))).toEqual([]);
  });

  it("would be found out otherwise", () => {
    const gone = `// As in rl/gone.ts, ../gone.ts and kernels/gone; not rl/advantages.ts, rl/objective, and/or or test/gone/*.ts\nconst x = "lost.ts";`;
    expect(missing(commentsOf(gone))).toEqual(["rl/gone.ts", "gone.ts", "kernels/gone"]);
  });
});

describe("the scanner", () => {
  it("sees every form of import and none in comments", () => {
    const text = [
      `import type { A } from "./a.ts";`,
      `import {\n  b,\n} from "./b.ts";`,
      `import "./c.css";`,
      `export { d } from "./d.ts";`,
      `const e = await import("./e.ts");`,
      `new Worker(new URL("../../workers/f.ts", import.meta.url));`,
      `// import "./comment.ts";`,
      `/* import "./block.ts"; */`,
      `const address = "https://example.org"; import "./g.ts";`,
    ].join("\n");
    expect([...importsOf(text)].sort()).toEqual(["../../workers/f.ts", "./a.ts", "./b.ts", "./c.css", "./d.ts", "./e.ts", "./g.ts"]);
  });

  it.each([
    ["an import of a later layer", "src/rl/a.ts", `import { x } from "../model/b.ts";`],
    ["an import of the page by the engine", "src/train/a.ts", `import { x } from "../ui/b.ts";`],
    ["an import of the trainer by the page", "src/ui/train/a.tsx", `import { x } from "../../train/b.ts";`],
    ["an import of a later room of the page", "src/ui/kit/a.ts", `import { x } from "../engine/b.ts";`],
    ["a later room's styles", "src/ui/make/form/a.tsx", `import "../../train/b.css";`],
    ["a part of a later room that loads late", "src/ui/runs/a.tsx", `const x = await import("../make/b.tsx");`],
    ["a room of the page that has no place", "src/ui/other/a.ts", "x();"],
    ["an import of a later room of the trainer", "src/train/step/update/a.ts", `import { x } from "../../save/b.ts";`],
    ["tensors in the page", "src/ui/a.tsx", `import * as tf from "@tensorflow/tfjs-core";`],
    ["tensors in rl", "src/rl/a.ts", `import * as tf from "@tensorflow/tfjs-core";`],
    ["Node in the engine", "src/model/a.ts", `import { readFileSync } from "node:fs";`],
    ["chance in the engine", "src/rl/a.ts", "const x = Math.random();"],
    ["a clock in the engine", "src/train/a.ts", "const x = Date.now();"],
    ["a function whose bits differ between engines", "src/rl/a.ts", "const x = Math.exp(1);"],
    ["a worker started by a component", "src/ui/a.tsx", `new Worker("x");`],
    ["a long worker", "workers/a.ts", "x();\n".repeat(81)],
    ["a long file", "src/rl/a.ts", "x();\n".repeat(301)],
    ["a note of unfinished work", "src/rl/a.ts", `// ${"TO"}${"DO"} later`],
    ["a test left out", "test/a.test.ts", `it.${"skip"}("x", () => {});`],
    ["a mock", "test/a.test.ts", `vi.${"mock"}("x");`],
  ])("reports %s", (_what, path, text) => {
    expect(sourceProblems(path, text)).toHaveLength(1);
  });

  it.each([
    ["an earlier layer", "src/train/a.ts", `import { x } from "../model/b.ts";`],
    [
      "the page's own client starting a worker",
      "src/ui/engine/openWorkers.ts",
      `new Worker(new URL("../../workers/trainer.ts", import.meta.url));`,
    ],
    ["an earlier room of the page", "src/ui/train/a.tsx", `import { x } from "../kit/b.ts";`],
    ["the page's frame", "src/ui/App.tsx", `import { x } from "./train/b.ts";`],
    ["pure maths in the page", "src/ui/learn/a.tsx", `import { x } from "../../rl/advantages.ts";`],
    ["inexact functions in a verdict", "src/rl/verdict/a.ts", "const x = Math.exp(1);"],
    ["a clock in a worker", "workers/a.ts", "const x = Date.now();"],
    ["a comment about chance", "src/rl/a.ts", "// Math.random() would not be reproducible"],
    ["exactly 300 lines", "src/rl/a.ts", "x();\n".repeat(300)],
  ])("accepts %s", (_what, path, text) => {
    expect(sourceProblems(path, text)).toEqual([]);
  });
});

describe("the search for circles", () => {
  const from = (path: string) => `import type { x } from "${path}";`;

  it("names a circle of any length once, also one of types alone or through a folder", () => {
    const texts = new Map([
      ["src/rl/start.ts", from("./a.ts") + from("./b.ts")],
      ["src/rl/a.ts", from("./b.ts")],
      ["src/rl/b.ts", from("./inner/c.ts")],
      ["src/rl/inner/c.ts", from("../a.ts")],
      ["src/rl/self.ts", from("./self.ts")],
    ]);
    expect(importCircles(texts)).toEqual([
      "src/rl/a.ts -> src/rl/b.ts -> src/rl/inner/c.ts -> src/rl/a.ts",
      "src/rl/self.ts -> src/rl/self.ts",
    ]);
  });

  it("leaves two ways to the same file alone", () => {
    const texts = new Map([
      ["src/rl/a.ts", from("./b.ts") + from("./c.ts")],
      ["src/rl/b.ts", from("./c.ts")],
      ["src/rl/c.ts", from("node:fs")],
    ]);
    expect(importCircles(texts)).toEqual([]);
  });
});
