// Conversations of three turns against one turn of the same sampled length, side by side on the kernels: what
// several turns cost beside the tokens that are inserted between them. Lengths are those of calls of the
// calculator: half as many tokens come back as were sampled.
import { createNodeHost } from "../../src/cli/nodeHost.ts";
import { readModelFolder } from "../../src/model/folder/checkpoint.ts";
import { createWasmBackend } from "../../src/model/wasm/wasmBackend.ts";
import type { Policy } from "../../src/rl/policy.ts";
import { Random } from "../../src/rl/random.ts";
import type { TurnsResult } from "../report/result.ts";
import { median } from "../report/statistics.ts";

const SEQUENCES = 64;
const PROMPTS = 8;
const PROMPT = 24;
/** Tokens of all turns of a conversation, and between two of them. */
const SAMPLED = 96;
const INSERTED = 16;
const TURNS = 3;

/** Samples `SAMPLED` tokens of each conversation, none of which stops. */
async function converse(policy: Policy, turns: number): Promise<void> {
  const random = new Random(2);
  const token = () => random.below(500);
  const prompts = Array.from({ length: PROMPTS }, () => Array.from({ length: PROMPT }, token));
  const promptOf_B = Int32Array.from({ length: SEQUENCES }, (_, b) => Math.floor((b * PROMPTS) / SEQUENCES));
  const sequences_B = promptOf_B.map((_, b) => b);
  const maxNewTokens = SAMPLED / turns;
  const rule = { temperature: 1, topK: 0, topP: 1, minP: 0, stopTokens: [] };
  const open = policy.open({ prompts, promptOf_B, expectedTokens: maxNewTokens });
  for (let turn = 0; turn < turns; turn++) {
    if (turn > 0) for (const sequence of sequences_B) open.extend(sequence, Array.from({ length: INSERTED }, token));
    const uniforms_BT = Float32Array.from({ length: SEQUENCES * maxNewTokens }, () => random.uniform());
    await open.sample({ ...rule, sequences_B, maxNewTokens, uniforms_BT });
  }
  open.close();
}

/** Sampled tokens per second of processor time (all threads), in turns: the two follow one another in every round. */
export async function measureTurns(threads: number, rounds: number): Promise<TurnsResult> {
  const host = createNodeHost();
  const { config, weights_N } = await readModelFolder((name) => host.readAsset(`models/base/${name}`), { valueHead: "absent" });
  const backend = await createWasmBackend(config, host, { threads });
  await backend.setWeights("policy", weights_N);
  const rate = async (turns: number) => {
    const before = process.cpuUsage();
    await converse(backend, turns);
    const { user, system } = process.cpuUsage(before);
    return (1e6 * SEQUENCES * SAMPLED) / (user + system);
  };
  await rate(1);
  await rate(TURNS);
  const pairs: { readonly one: number; readonly several: number }[] = [];
  for (let round = 0; round < 3 * rounds; round++) pairs.push({ one: await rate(1), several: await rate(TURNS) });
  backend.dispose();
  return {
    ...{ threads, conversations: SEQUENCES, sampled: SAMPLED, inserted: INSERTED, turns: TURNS },
    oneTurn: median(pairs.map(({ one }) => one)),
    severalTurns: median(pairs.map(({ several }) => several)),
    share: median(pairs.map(({ one, several }) => several / one)),
  };
}
