// The sizes that the rules of this code set, held: files, folders and what nothing but a test would use. The length of a
// function and circles of imports are held by the linter and by layers.test.ts.
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";

const root = join(import.meta.dirname, "..");
const SHORTEST = 30;
const MOST_FILES = 12;

/** Folders of which an `index.ts` lists every file: as many and as short as their entries are. */
const REGISTRIES = [
  "scripts/interop/python",
  "src/cli/exports",
  "src/cli/verbs",
  "src/rl/algorithms",
  "src/rl/baselines",
  "src/rl/diagnosis",
  "src/rl/kl",
  "src/rl/logs/forms",
  "src/rl/logs/programs",
  "src/rl/logs/signatures",
  "src/rl/mismatch",
  "src/rl/rewards/library",
  "src/rl/surrogates",
  "src/rl/tasks",
  "src/rl/tasks/classic",
  "src/rl/tasks/games",
  "src/rl/tools",
  "src/rl/templates",
  "src/traces/containers",
  "src/traces/forms",
  "src/ui/experiment/shapes",
  "src/ui/kit/charts",
  "src/ui/learn/lessons",
];
/** Short files that something outside names: programs, threads, and the one place that sets up the schema library. */
const ENTRIES = [
  "src/cli/libraryNode.ts",
  "src/protocol/zod.ts",
  "workers/sandbox.ts",
  "workers/kernelThread.ts",
  "workers/data/hubReader.ts",
  "workers/data/logReader.ts",
  "workers/saves/storeWorker.ts",
  "workers/trainer.ts",
  "workers/runLock.ts",
];

function filesBelow(folder: string): readonly string[] {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1));
}

const read = (path: string) => readFileSync(join(root, path), "utf8");
const files = ["src", "workers"].flatMap(filesBelow);
const sources = new Map(files.filter((path) => /\.tsx?$/.test(path)).map((path) => [path, read(path)]));
const isEntry = (path: string) => ENTRIES.includes(path) || REGISTRIES.includes(dirname(path));

/** Stores of the page: each is what is known of one thing. */
const MOST_STORES = 15;

/** Files that take all that the engine needs from outside; others take the part that they use. */
const MOST_HOSTS = 25;

describe("the house", () => {
  it("has no fragment of a file but entries of a registry", () => {
    const short = [...sources].filter(([path, text]) => text.split("\n").length <= SHORTEST && !isEntry(path));
    expect(short.map(([path]) => path)).toEqual([]);
  });

  it("has folders that can be taken in at a look", () => {
    const counts = new Map<string, number>();
    const programs = ["scripts", "bench"].flatMap(filesBelow).filter((path) => !path.includes("results/"));
    // A README is what is read of a folder first, and none of the things in it.
    for (const path of [...files, ...programs].filter((path) => !path.endsWith("README.md")))
      counts.set(dirname(path), (counts.get(dirname(path)) ?? 0) + 1);
    const full = [...counts].filter(([folder, count]) => count > MOST_FILES && !REGISTRIES.includes(folder));
    expect(full).toEqual([]);
  });

  it("keeps the page's facts in few stores", () => {
    const stores = [...sources].flatMap(([path, text]) =>
      path.startsWith("src/ui/") ? Array.from(text.matchAll(/\bcreate(?:Store)?<(\w*)/g), ([, name]) => `${path}: ${name}`) : [],
    );
    expect(stores.length, stores.join("\n")).toBeLessThanOrEqual(MOST_STORES);
  });

  it("hands the whole host to few files", () => {
    const whole = [...sources].filter(([, text]) => /^import .*\bHost\b.*\bhost\.ts"/m.test(text));
    expect(whole.length, whole.map(([path]) => path).join("\n")).toBeLessThanOrEqual(MOST_HOSTS);
  });

  it("exports nothing that only a test uses", () => {
    const programs = ["scripts", "bench"].flatMap(filesBelow).filter((path) => /\.(ts|mjs)$/.test(path) && !path.includes("results/"));
    const used = new Map<string, number>();
    for (const text of [...sources.values(), ...programs.map(read)])
      for (const word of text.replaceAll(/\/\/.*|\/\*[\s\S]*?\*\//g, "").match(/[\w$]+/g) ?? []) used.set(word, (used.get(word) ?? 0) + 1);
    const exported = [...sources].flatMap(([path, text]) =>
      Array.from(text.matchAll(/^export (?:async )?(?:function|const|class) (\w+)/gm), ([, name = ""]) => ({ path, name })),
    );
    // AssemblyScript's are called by their names in the compiled module.
    const unused = exported.filter(({ path, name }) => used.get(name) === 1 && !path.startsWith("src/kernels/assembly/"));
    expect(unused).toEqual([]);
  });
});
