// Which of the files that were dropped on the page are models.
import { describe, expect, it } from "vitest";
import { modelsAmong } from "../../../../src/ui/make/models/droppedModels.ts";

const among = (...paths: readonly string[]) =>
  modelsAmong(paths.map((path) => ({ path }))).map(({ name, files }) => [name, files.map(({ path }) => path)]);

describe("models among dropped files", () => {
  it("are GGUF files by themselves, and folders with a configuration and weights", () => {
    expect(among("a.gguf")).toEqual([["a.gguf", ["a.gguf"]]]);
    const folder = ["tiny/config.json", "tiny/tokenizer.json", "tiny/model.safetensors"];
    expect(among(...folder)).toEqual([["tiny", folder]]);
    expect(among("models/b.gguf", ...folder.map((path) => `models/${path}`))).toEqual([
      ["tiny", folder.map((path) => `models/${path}`)],
      ["b.gguf", ["models/b.gguf"]],
    ]);
  });

  it("are none among a run's files, which hold a configuration as well, nor where weights are missing", () => {
    expect(among("run/config.json", "run/save/save.json", "run/hf/config.json", "run/hf/model.safetensors")).toEqual([]);
    expect(among("tiny/config.json", "tiny/tokenizer.json")).toEqual([]);
    expect(among("mine.rollout-lab", "photo.png")).toEqual([]);
  });
});
