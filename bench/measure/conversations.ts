// Conversations in the place of single sequences: prompts that groups share, and several turns with tokens inserted
// between them. Nothing stops, so that every peer samples and trains the same number of tokens.
import type { PackedBatch } from "../../src/model/backend.ts";
import type { Policy } from "../../src/rl/policy.ts";
import { Random } from "../../src/rl/random.ts";
import { packGroups, type TokenGroup } from "../../src/train/step/update/batch.ts";
import { cutGroups } from "../../src/train/step/update/cutGroups.ts";
import { MICRO_BATCH_TOKENS } from "./inputs.ts";
import type { Conversations, Workload } from "./workload.ts";

/** What is sampled: so many sequences, each with so many tokens in all its turns. */
export interface Talk extends Conversations, Pick<Workload, "batch" | "length" | "vocabularySize"> {}

/** Samples all turns of all sequences. */
export async function converse(policy: Policy, talk: Talk): Promise<void> {
  const { batch, length, vocabularySize, promptTokens, group, turns, inserted } = talk;
  const random = new Random(2);
  const tokens = (count: number) => Array.from({ length: count }, () => random.below(vocabularySize));
  const prompts = Array.from({ length: batch / group }, () => tokens(promptTokens));
  const promptOf_B = Int32Array.from({ length: batch }, (_, b) => Math.floor(b / group));
  const sequences_B = promptOf_B.map((_, b) => b);
  const maxNewTokens = length / turns;
  const rule = { temperature: 1, topK: 0, topP: 1, minP: 0, stopTokens: [] };
  const open = policy.open({ prompts, promptOf_B, expectedTokens: maxNewTokens });
  for (let turn = 0; turn < turns; turn++) {
    if (turn > 0) for (const sequence of sequences_B) open.extend(sequence, tokens(inserted));
    const uniforms_BT = Float32Array.from({ length: batch * maxNewTokens }, () => random.uniform());
    await open.sample({ ...rule, sequences_B, maxNewTokens, uniforms_BT });
  }
  open.close();
}

/** The same conversations as an update trains on them: each prompt once for its group, inserted tokens as context. */
export function conversationBatch(talk: Talk): PackedBatch {
  const { batch, length, vocabularySize, promptTokens, group, turns, inserted } = talk;
  const random = new Random(0);
  const tokens = (count: number) => Array.from({ length: count }, () => random.below(vocabularySize));
  const turn = new Array<number>(length / turns).fill(1);
  const mask = Array.from({ length: turns }, (_, t) => (t === 0 ? turn : [...new Array<number>(inserted).fill(0), ...turn])).flat();
  const groups = Array.from({ length: batch / group }, (): TokenGroup => {
    const completions = Array.from({ length: group }, () => tokens(mask.length));
    return { promptTokens: tokens(promptTokens), completions, masks: completions.map(() => mask) };
  });
  return packGroups(cutGroups(groups, MICRO_BATCH_TOKENS), 1);
}
