// Conversations of three turns against one turn of the same sampled length, side by side on the kernels: what
// several turns cost beside the tokens that are inserted between them. Lengths are those of calls of the
// calculator: half as many tokens come back as were sampled.
import { createNodeHost } from "../../src/cli/nodeHost.ts";
import { readModelFolder } from "../../src/model/folder/checkpoint.ts";
import { createWasmBackend } from "../../src/model/wasm/wasmBackend.ts";
import type { TurnsResult } from "../report/result.ts";
import { median } from "../report/statistics.ts";
import { converse } from "./conversations.ts";

const SEQUENCES = 64;
const PROMPTS = 8;
const PROMPT = 24;
/** Tokens of all turns of a conversation, and between two of them. */
const SAMPLED = 96;
const INSERTED = 16;
const TURNS = 3;

/** Of each conversation `SAMPLED` tokens. */
const TALK = {
  batch: SEQUENCES,
  group: SEQUENCES / PROMPTS,
  promptTokens: PROMPT,
  length: SAMPLED,
  inserted: INSERTED,
  vocabularySize: 500,
};

/** Sampled tokens per second of processor time (all threads), in turns: the two follow one another in every round. */
export async function measureTurns(threads: number, rounds: number): Promise<TurnsResult> {
  const host = createNodeHost();
  const { config, weights_N } = await readModelFolder((name) => host.readAsset(`models/base/${name}`), { valueHead: "absent" });
  const backend = await createWasmBackend(config, host, { threads });
  await backend.setWeights("policy", weights_N);
  const rate = async (turns: number) => {
    const before = process.cpuUsage();
    await converse(backend, { ...TALK, turns });
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
