// Runs that trained adapters beside a model from elsewhere, out again: PEFT's folder on its base and the merged folder
// give the same logits in transformers, which are the lab's, and the merged folder is a model that the lab asks.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { writeModelFolder } from "../../../src/model/folder/checkpoint.ts";
import { readGguf } from "../../../src/model/folder/gguf.ts";
import { ggufTokenizer, ggufTokenizerConfig } from "../../../src/model/folder/ggufModel.ts";
import type { TransformerConfig } from "../../../src/model/transformerConfig.ts";
import { Random } from "../../../src/rl/random.ts";
import { foreignConfig, foreignTexts } from "../../../test/support/foreignModel.ts";
import { ggufFile } from "../../../test/support/ggufFile.ts";
import { sharpWeights } from "../../../test/support/tokenBatches.ts";
import { type Check, hold, type Interop } from "../check.ts";
import { casesOf } from "./modelFolders.ts";

const SHAPES: Readonly<Record<string, Partial<TransformerConfig>>> = {
  llama: {},
  "llama-untied": { tiedEmbeddings: false, kvHeads: 4 },
  qwen2: { qkvBias: true, ropeTheta: 1e6 },
  qwen3: { headNorm: true, headSize: 16 },
};

/** A folder with a model of a shape and the tokenizer of the tests' models. */
function writeBase(folder: string, shape: Partial<TransformerConfig>): void {
  const config = { ...foreignConfig, ...shape };
  const weights_N = sharpWeights(config, 5);
  const header = readGguf(ggufFile({ config: foreignConfig, weights_N: sharpWeights(foreignConfig, 5) }, foreignTexts));
  mkdirSync(folder, { recursive: true });
  for (const { name, bytes } of writeModelFolder(config, weights_N, { dtype: "F32", ids: { bos: null, eos: 2, pad: 2 } }))
    writeFileSync(join(folder, name), bytes);
  writeFileSync(join(folder, "tokenizer.json"), ggufTokenizer(header));
  writeFileSync(join(folder, "tokenizer_config.json"), ggufTokenizerConfig(header));
}

/** Trains adapters for some steps and exports them both ways. */
async function trainedAndExported({ folder, lab }: Interop, name: string) {
  const [base, rules] = [join(folder, name), { lengthTarget: { target: 24 } }];
  const config = {
    ...{ task: "prompts", startFrom: "checkpoint", checkpoint: base, loraRank: 4, loraAlpha: 16, learningRate: 0.01, klCoef: 0 },
    ...{
      rewardRules: rules,
      backend: "wasm",
      threads: 1,
      steps: 3,
      promptsPerStep: 2,
      groupSize: 4,
      maxCompletionTokens: 16,
      evalEvery: 0,
    },
    ...{ evalProblems: 2, evalSamples: 2 },
  };
  writeFileSync(join(folder, `${name}.json`), JSON.stringify(config));
  await lab("train", `${name}.json`, "--out", `${name}-run`);
  const merged = String((await lab("export", `${name}-run`, "--to", "hf", "--out", `${name}-hf`)).out);
  const adapters = String((await lab("export", `${name}-run`, "--to", "peft", "--out", `${name}-peft`)).out);
  const back = await lab("eval", `${name}.json`, "--model", `./${name}-hf`);
  const own = await lab("eval", `${name}-run`);
  const rewardOf = (told: typeof own) => (told.evaluation as { readonly meanReward: number }).meanReward;
  hold(
    Math.abs(rewardOf(back) - rewardOf(own)) < 1e-6,
    `${name}: its merged folder earns ${rewardOf(back)} here, the run ${rewardOf(own)}`,
  );
  return { base, adapters, merged };
}

export const adapters: Check = {
  name: "adapters",
  title: "Adapters in PEFT",
  packages: ["peft", "transformers", "torch"],
  async run(interop) {
    const cases = [];
    for (const [name, shape] of Object.entries(SHAPES)) {
      writeBase(join(interop.folder, name), shape);
      const { base, adapters, merged } = await trainedAndExported(interop, name);
      cases.push({ base, adapters, ...(await casesOf(join(interop.folder, merged), new Random(2))) });
    }
    writeFileSync(join(interop.folder, "cases.json"), JSON.stringify(cases));
    return interop.python("adapters.py", "cases.json");
  },
};
