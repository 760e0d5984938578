// A configuration names a model by its folder, by the hub's owner, name and revision, or by a path; nothing else passes.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { isNamed, OWN_MODELS, readModelName } from "../../../src/protocol/models/modelName.ts";
import { catalog } from "../../../src/train/catalog.ts";
import { resolveConfig } from "../../support/resolveConfig.ts";

const commit = "12fd25f77366fa6b3b4b768ec3050bf629380bac";

describe("the name of a model", () => {
  it.each([
    ["base", { kind: "folder", name: "base" }],
    ["smollm2-135m.q4_1", { kind: "folder", name: "smollm2-135m.q4_1" }],
    ["Owner/Name-0.5B", { kind: "hub", repository: "Owner/Name-0.5B", revision: null }],
    [`owner/name@${commit}`, { kind: "hub", repository: "owner/name", revision: commit }],
    ["owner/name@refs/pr/1", { kind: "hub", repository: "owner/name", revision: "refs/pr/1" }],
    ["./models/x", { kind: "path", path: "./models/x" }],
    ["/data/x.gguf", { kind: "path", path: "/data/x.gguf" }],
    ["C:\\models\\x", { kind: "path", path: "C:\\models\\x" }],
  ])("%s is read", (text, name) => {
    expect(readModelName(text)).toEqual(name);
  });

  it.each([
    "",
    " ",
    "..",
    ".hidden",
    "a/b/c",
    "owner/",
    "/",
    "owner/../name",
    "a b",
    "owner/name@",
    "owner/name@../x",
    "a@b",
    "x".repeat(201),
  ])("%j is none", (text) => {
    expect(readModelName(text)).toBeNull();
  });

  it("is checked in a configuration, with the rule and what was given", () => {
    const resolve = (checkpoint: string) => resolveConfig({ task: "boxed-arithmetic", checkpoint }, catalog.tasks, catalog.algorithms);
    expect(resolve(`owner/name@${commit}`).checkpoint).toBe(`owner/name@${commit}`);
    expect(() => resolve("../../etc")).not.toThrow();
    expect(() => resolve("owner/na me")).toThrow(
      'checkpoint must be the name of a folder of models/, OWNER/NAME or OWNER/NAME@REVISION of the Hugging Face hub, or a path that begins with "./", "../" or "/", got "owner/na me"',
    );
  });

  it("names a model by where it came from, at any revision, the one asked for, or a commit", () => {
    const source = { repository: "owner/name", revision: "main", commit, licence: null };
    const named = (text: string) => isNamed({ name: "here", source }, readModelName(text)!);
    expect(["here", "owner/name", "owner/name@main", `owner/name@${commit}`, "owner/name@12fd25f"].map(named)).toEqual(Array(5).fill(true));
    expect(["there", "owner/other", "owner/name@v1", "owner/name@12f", "./here"].map(named)).toEqual(Array(5).fill(false));
    expect(isNamed({ name: "here", source: null }, readModelName("owner/name")!)).toBe(false);
  });
});

describe("the lab's own models", () => {
  it("are known by name, so that what somebody keeps cannot stand in for one", () => {
    expect([...OWN_MODELS]).toEqual(readdirSync(join(import.meta.dirname, "..", "..", "..", "public", "models")).toSorted());
  });
});
