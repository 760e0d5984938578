// Documents that name versions, files or commands are checked against what is there.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { z } from "zod";

const root = join(import.meta.dirname, "..", "..");
const read = (path: string) => readFileSync(join(root, path), "utf8");
const packageSchema = z.object({
  scripts: z.record(z.string(), z.string()),
  dependencies: z.record(z.string(), z.string()),
  devDependencies: z.record(z.string(), z.string()),
});
const testSchema = packageSchema.pick({ dependencies: true });
const { scripts, dependencies, devDependencies } = packageSchema.parse(JSON.parse(read("package.json")));
const forTests = testSchema.parse(JSON.parse(read("test/package.json"))).dependencies;
const packages = Object.entries({ ...dependencies, ...devDependencies, ...forTests });

it.each(packages)("%s has an exact version and a reason in docs/dependencies.md", (name, version) => {
  expect(version).toMatch(/^(npm:.+@)?\d+\.\d+\.\d+$/);
  const row = read("docs/dependencies.md")
    .split("\n")
    .find((line) => line.startsWith(`| ${name} |`));
  expect(row, `no row for ${name}`).toContain(`| ${version.replace("npm:", "")} | `);
});

it.each(["README.md", "AGENTS.md", "docs/architecture.md"])("%s names only files and commands that exist", (document) => {
  const text = read(document);
  const paths = Array.from(text.matchAll(/`((?:src|test|scripts|workers|docs|public)\/[\w./-]+)`/g), (match) => match[1] ?? "");
  const links = Array.from(text.matchAll(/\]\(([\w./-]+)\)/g), (match) =>
    document.startsWith("docs/") ? `docs/${match[1]}` : (match[1] ?? ""),
  );
  const commands = Array.from(text.matchAll(/\bnpm run ([\w:]+)/g), (match) => match[1] ?? "");
  expect([...paths, ...links].filter((path) => !existsSync(join(root, path)))).toEqual([]);
  expect(commands.filter((command) => !(command in scripts))).toEqual([]);
});
