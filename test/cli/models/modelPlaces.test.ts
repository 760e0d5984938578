// A model of this machine is found by its folder, by where it came from, or by its path, and what is missing is said.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { chosenModel, openDiskModel } from "../../../src/cli/models/modelPlaces.ts";
import { readStoredFolder } from "../../../src/model/folder/checkpoint.ts";
import { wholeFile } from "../../../src/model/folder/modelFolder.ts";
import { parameterLayout } from "../../../src/model/transformerConfig.ts";
import { foreignConfig, foreignTexts } from "../../support/foreignModel.ts";
import { ggufFile } from "../../support/ggufFile.ts";
import { sharpWeights } from "../../support/tokenBatches.ts";

let root: string;
const [own, models] = [() => join(root, "own"), () => join(root, "models")];

/** A model whose only file says where it lies. */
function make(folder: string, source?: unknown): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "config.json"), folder);
  if (source !== undefined) writeFileSync(join(folder, "source.json"), typeof source === "string" ? source : JSON.stringify(source));
}

beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), "rollout-lab-places-"));
  const source = { repository: "owner/name", revision: "main", commit: "abcdef0123", licence: null };
  make(join(own(), "base"));
  make(join(models(), "base"));
  make(join(models(), "plain"));
  make(join(models(), "half.part"), source);
  make(join(models(), "tiny"), source);
  make(join(models(), "v2"), { ...source, revision: "v2", commit: null });
});
afterAll(() => rmSync(root, { recursive: true }));

async function found(name: string): Promise<string | null> {
  const folder = await openDiskModel(name, own(), models());
  return folder && new TextDecoder().decode(await wholeFile(folder, "config.json"));
}

describe("a model of this machine", () => {
  it("is found by its folder, the lab's own first", async () => {
    expect(await found("base")).toBeNull();
    expect(await found("plain")).toBe(join(models(), "plain"));
  });

  it("is found by its name on the hub and its revision, but not while it is brought", async () => {
    expect(await found("owner/name")).toBe(join(models(), "tiny"));
    expect(await found("owner/name@abcdef0")).toBe(join(models(), "tiny"));
    expect(await found("owner/name@v2")).toBe(join(models(), "v2"));
  });

  it("is found by a path", async () => {
    expect(await found(join(models(), "plain"))).toBe(join(models(), "plain"));
    await expect(found(join(models(), "gone"))).rejects.toThrow(
      `checkpoint must be a folder or a GGUF file, got ${join(models(), "gone")}: there is none`,
    );
  });

  it("is found by the path of a GGUF file, or of a folder that holds nothing else of a model", async () => {
    const path = join(root, "files", "Own.gguf");
    mkdirSync(join(root, "files"));
    writeFileSync(path, ggufFile({ config: foreignConfig, weights_N: sharpWeights(foreignConfig, 2) }, foreignTexts, "F16"));
    for (const given of [path, join(root, "files")]) {
      const { config, tensors } = await readStoredFolder((await openDiskModel(given, own(), models()))!);
      expect(config).toEqual(foreignConfig);
      expect(tensors.size).toBe(parameterLayout(foreignConfig).length);
    }
    writeFileSync(path, "GGUF and no more");
    await expect(openDiskModel(path, own(), models())).rejects.toThrow("gguf: ");
  });

  it("is read in parts, and a file that is missing is named", async () => {
    const folder = (await openDiskModel("plain", own(), models()))!;
    const file = await folder.open("config.json");
    const text = join(models(), "plain");
    expect(file.size).toBe(text.length);
    expect(new TextDecoder().decode(await file.read(1, 4))).toBe(text.slice(1, 4));
    await expect(folder.open("gone.json")).rejects.toThrow(`${join(text, "gone.json")} is missing`);
  });

  it("is said to be missing, and how to bring it", async () => {
    await expect(found("owner/other")).rejects.toThrow(
      /^checkpoint must be a model that is in .*, got owner\/other: rollout-lab fetch owner\/other brings it$/,
    );
    await expect(found("nothing")).rejects.toThrow("or one of the lab's own, got nothing: rollout-lab fetch brings one");
  });

  it("is not guessed at where a record of where it came from is broken", async () => {
    const other = join(root, "broken");
    make(join(other, "one"), "{");
    await expect(openDiskModel("owner/name", own(), other)).rejects.toThrow(join(other, "one", "source.json"));
  });
});

it("a folder that is there is chosen by its path, unless a model of the hub is called so as well", async () => {
  const before = process.cwd();
  process.chdir(root);
  try {
    for (const folder of ["stories/hf", "owner/name", "deep/er/still", "with blank"]) make(folder);
    for (const name of ["stories/hf", "deep/er/still", "with blank"]) expect(await chosenModel(name, "models")).toBe(`./${name}`);
    for (const name of ["base", "./stories/hf", "gone/model", "owner/other"]) expect(await chosenModel(name, "models")).toBe(name);
    await expect(chosenModel("owner/name", "models")).rejects.toThrow(
      `owner/name is a folder here and, as ${join("models", "tiny")}, a model of the hub: --model ./owner/name means the folder, --model tiny the other`,
    );
  } finally {
    process.chdir(before);
  }
});
