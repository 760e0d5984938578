// Our model folders in transformers: equal logits, and the same greedy continuation.
import { readdirSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { readModelFolder } from "../../../src/model/folder/checkpoint.ts";
import { plainForward } from "../../../src/model/plainForward.ts";
import { Random } from "../../../src/rl/random.ts";
import { projectRoot } from "../../environment.mjs";
import { type Check, trainSums } from "../check.ts";

const [SEQUENCES, LENGTH, CONTINUED] = [3, 24, 8];

const largest = (values: ArrayLike<number>) => Array.from(values).reduce((best, value, i, all) => (value > all[best]! ? i : best), 0);

/** Random ids, the logits there, and what a greedy policy says next. */
export async function casesOf(folder: string, random: Random) {
  const { config, weights_N } = await readModelFolder(async (name) => new Uint8Array(await readFile(join(folder, name))));
  const cases = Array.from({ length: SEQUENCES }, () => {
    const tokens = Array.from({ length: LENGTH }, () => random.below(config.vocabularySize));
    const logits_TV = plainForward(config, weights_N, tokens).logits_TV.map((row) => Array.from(row));
    const continued: number[] = [];
    while (continued.length < CONTINUED)
      continued.push(largest(plainForward(config, weights_N, [...tokens, ...continued]).logits_TV.at(-1)!));
    return { tokens, logits: logits_TV, continued };
  });
  return { folder, cases };
}

export const modelFolders: Check = {
  name: "model-folders",
  title: "Model folders in transformers",
  packages: ["transformers", "torch"],
  async run(interop) {
    const { path } = await trainSums(interop, { steps: 1 });
    const { out } = await interop.lab("export", path, "--to", "hf");
    const models = join(projectRoot, "public", "models");
    const folders = [...readdirSync(models).map((name) => join(models, name)), String(out)];
    const random = new Random(1);
    const cases = [];
    for (const folder of folders) cases.push(await casesOf(folder, random));
    writeFileSync(join(interop.folder, "cases.json"), JSON.stringify(cases));
    return interop.python("model_folders.py", "cases.json");
  },
};
