// The commands and programs that the documents show, run as they stand there: each block with <!-- run --> above it.
// Only the number of steps is made small.
import { execFile } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { run, temporaryFolder } from "./program.ts";

const root = join(import.meta.dirname, "..", "..", "..");
const folder = temporaryFolder();
const at = { cwd: folder.path };
afterAll(folder.remove);

beforeAll(() => {
  symlinkSync(join(root, "configs"), join(folder.path, "configs"));
  mkdirSync(join(folder.path, "node_modules"));
  symlinkSync(root, join(folder.path, "node_modules", "rollout-lab"));
});

interface Block {
  readonly document: string;
  readonly language: string;
  readonly text: string;
}

function blocksOf(document: string): readonly Block[] {
  const blocks = readFileSync(join(root, document), "utf8").matchAll(/<!-- run -->\n\n```(\w+)\n([\s\S]*?)\n```/g);
  return Array.from(blocks, ([, language = "", text = ""]) => ({ document, language, text }));
}

const documents = [
  "README.md",
  "AGENTS.md",
  ...readdirSync(join(root, "docs")).flatMap((name) => (name.endsWith(".md") ? [`docs/${name}`] : [])),
];
const blocks = documents.flatMap(blocksOf);

/** The words behind the program's name; throws where a line calls another program. */
function wordsOf(line: string): readonly string[] {
  const [, words] = /^(?:npx rollout-lab|rollout-lab|npm run lab --) (.*)$/.exec(line) ?? [];
  if (words === undefined) throw new Error(`a line that is run must call rollout-lab, got "${line}"`);
  const few = /^(train|sweep) .*\.yaml/.test(words) ? ["--set", "steps=4"] : [];
  return [...words.split(/\s+/), ...few];
}

const commands = blocks
  .filter(({ language }) => language === "sh")
  .flatMap(({ document, text }) => text.split("\n").map((line) => ({ document, line: line.replace(/\s+#.*$/, "") })));

describe("what the documents show", () => {
  it("is found", () => {
    expect(blocks.map(({ document, language }) => `${document} ${language}`)).toEqual([
      "README.md sh",
      "README.md js",
      "AGENTS.md sh",
      "docs/library.md js",
      "docs/library.md js",
    ]);
  });

  it.each(commands)("$document: $line", async ({ line }) => {
    const { code, stdout, stderr } = await run(wordsOf(line), at);
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).not.toBe("");
  });

  it.each(blocks.filter(({ language }) => language === "js"))("$document: a program", async ({ text }) => {
    writeFileSync(join(folder.path, "program.mjs"), `${text.replace(/steps: \d+/, "steps: 2")}\nprocess.exit(0);\n`);
    await promisify(execFile)(process.execPath, ["program.mjs"], at);
  });
});
