// Decoding one sequence of a pretrained model beside llama.cpp's WebAssembly build, in turns on the same processor and as
// many threads: greedy tokens after a prompt, the prompt not counted. Adapters are ours alone and change nothing.
// transformers.js needs weights in ONNX and a runtime for them, neither of which is here, so it is no peer.
import type { TransformerBackend } from "../../../src/model/backend.ts";
import { sampleCompletions } from "../../../src/rl/policy.ts";
import { startWllama } from "../../peers/start/wllamaPage.ts";
import type { DecodeResult } from "../../report/result.ts";
import { median } from "../../report/statistics.ts";

const TOKENS = 32;
const PROMPT = [504, 3671, 314];

/** Tokens a second of ours: what more tokens cost than one. */
async function ownSpeed(backend: TransformerBackend): Promise<number> {
  const seconds = async (maxNewTokens: number) => {
    const rule = { temperature: 0, topK: 0, topP: 1, minP: 0, stopTokens: [], uniforms_BT: new Float32Array(maxNewTokens) };
    const began = performance.now();
    await sampleCompletions(backend, { prompts: [PROMPT], copies: 1, maxNewTokens, ...rule });
    return (performance.now() - began) / 1000;
  };
  const first = await seconds(1);
  return TOKENS / ((await seconds(TOKENS + 1)) - first);
}

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message.split("\n")[0]! : String(error));

/** Medians over rounds in which both take turns after one of each that is not counted. A peer that fails is left out, with the reason. */
export async function measureDecode(backend: TransformerBackend, threads: number, rounds: number): Promise<DecodeResult> {
  const gguf = process.env.SMOLLM2_GGUF;
  const wllama = gguf ? await startWllama(gguf, threads).catch(reasonOf) : "SMOLLM2_GGUF names no file";
  const [own, theirs]: [number[], number[]] = [[], []];
  let missing = typeof wllama === "string" ? wllama : null;
  for (let round = 0; round <= rounds; round++) {
    const ours = await ownSpeed(backend);
    const other = typeof wllama === "string" || missing !== null ? missing : await wllama.decode(TOKENS).catch(reasonOf);
    if (typeof other === "string") missing = other;
    if (round === 0) continue;
    own.push(ours);
    if (typeof other === "number") theirs.push(other);
  }
  if (typeof wllama === "string") return { tokens: TOKENS, own: median(own), wllama: { missing: wllama } };
  await wllama.close();
  return {
    tokens: TOKENS,
    own: median(own),
    wllama: missing === null ? { version: wllama.version, perSecond: median(theirs) } : { missing },
  };
}
