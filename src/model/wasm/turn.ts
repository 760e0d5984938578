// One turn of open sequences: writes what the kernels need to decode it, runs it some steps a call, and
// reads what was sampled.

import * as map from "../../kernels/assembly/memoryMap.ts";
import type { Arena } from "../../kernels/wasm/arena.ts";
import type { JobRunner } from "../../kernels/wasm/engine.ts";
import type { TurnRequest } from "../../rl/policy.ts";
import { SLOT_INDEX } from "./modelMemory.ts";

/** Decode steps between two reports of progress. */
const STEPS_PER_CALL = 8;

/** A sequence that takes the turn. */
interface TurnRow {
  readonly sequence: number;
  readonly prompt: number;
  readonly promptLength: number;
  /** Tokens after the prompt that are in the sequence's cache. */
  readonly cached: number;
  /** Those that follow and are not: they go through the model before the first token is sampled. */
  readonly forced: readonly number[];
}

/** Decodes a turn of at least one row, whose blocks come after what the request has taken; `keys` bounds those of one row. */
export function decodeTurn(engine: JobRunner, rows_B: readonly TurnRow[], turn: TurnRequest, keys: number) {
  const blocks = placeTurn(engine, rows_B, turn, keys);
  runTurn(engine, turn.maxNewTokens, turn);
  return readTurn(engine.arena, blocks, rows_B.length, turn.maxNewTokens);
}

/** Room for a turn of B rows of at most T new tokens, with so many forced and stop tokens; `keys` bounds those of one row. */
export function takeTurnBlocks(
  { arena, kernels, threads }: JobRunner,
  {
    B,
    T,
    forced,
    stops,
    keys,
  }: { readonly B: number; readonly T: number; readonly forced: number; readonly stops: number; readonly keys: number },
) {
  return {
    rows: arena.take(B * map.ROW_BYTES),
    forced: arena.take(forced * 4),
    stops: arena.take(stops * 4),
    uniforms: arena.take(B * T * 4),
    tokens: arena.take(B * T * 4),
    logprobs: arena.take(B * T * 4),
    entropies: arena.take(B * T * 4),
    state: arena.take(kernels.decodeBytes(B, keys, threads)),
  };
}
/** Addresses. */
type TurnBlocks = ReturnType<typeof takeTurnBlocks>;

function placeTurn(engine: JobRunner, rows_B: readonly TurnRow[], turn: TurnRequest, keys: number): TurnBlocks {
  const { arena } = engine;
  const B = rows_B.length;
  const T = turn.maxNewTokens;
  const forcedTokens = Int32Array.from(rows_B.flatMap((row) => row.forced));
  const blocks = takeTurnBlocks(engine, { B, T, forced: forcedTokens.length, stops: turn.stopTokens.length, keys });
  const { stops, uniforms, tokens, logprobs, entropies } = blocks;
  arena.words(blocks.forced, forcedTokens.length).set(forcedTokens);
  writeRows(arena, blocks, rows_B);
  arena.words(stops, turn.stopTokens.length).set(turn.stopTokens);
  arena.floats(uniforms, B * T).set(turn.uniforms_BT.subarray(0, B * T));
  arena.words(tokens, B * T).fill(-1);
  arena.floats(logprobs, B * T).fill(0);
  arena.floats(entropies, B * T).fill(0);
  const sampler = arena.words(map.SAMPLER, map.SAMPLER_BYTES / 4);
  sampler[map.SAMPLER_ROW_COUNT >> 2] = B;
  sampler[map.SAMPLER_ROWS >> 2] = blocks.rows;
  sampler[map.SAMPLER_MAX_NEW >> 2] = T;
  sampler[map.SAMPLER_TOP_K >> 2] = turn.topK;
  sampler[map.SAMPLER_STOP_COUNT >> 2] = turn.stopTokens.length;
  sampler[map.SAMPLER_STOPS >> 2] = stops;
  sampler[map.SAMPLER_UNIFORMS >> 2] = uniforms;
  sampler[map.SAMPLER_TOKENS >> 2] = tokens;
  sampler[map.SAMPLER_LOGPROBS >> 2] = logprobs;
  sampler[map.SAMPLER_ENTROPIES >> 2] = entropies;
  sampler[map.SAMPLER_STATE >> 2] = blocks.state;
  sampler[map.SAMPLER_KEYS >> 2] = keys;
  const values = arena.floats(map.SAMPLER, map.SAMPLER_BYTES / 4);
  values[map.SAMPLER_TEMPERATURE >> 2] = turn.temperature;
  values[map.SAMPLER_TOP_P >> 2] = turn.topP;
  values[map.SAMPLER_MIN_P >> 2] = turn.minP;
  return blocks;
}

function writeRows(arena: Arena, { rows, forced }: TurnBlocks, rows_B: readonly TurnRow[]): void {
  let next = forced;
  const target = arena.words(rows, (rows_B.length * map.ROW_BYTES) / 4).fill(0);
  for (const [b, row] of rows_B.entries()) {
    const put = (word: number, value: number) => {
      target[(b * map.ROW_BYTES + word) >> 2] = value;
    };
    put(map.ROW_SEQUENCE, row.sequence);
    put(map.ROW_PROMPT, row.prompt);
    put(map.ROW_PROMPT_LENGTH, row.promptLength);
    put(map.ROW_CACHED, row.cached);
    put(map.ROW_FORCED, next);
    next += row.forced.length * 4;
    put(map.ROW_FORCED_END, next);
  }
}

function runTurn(engine: JobRunner, total: number, turn: TurnRequest): void {
  const slot = SLOT_INDEX[turn.slot ?? "policy"];
  engine.run("beginDecode", { slot });
  for (let done = 0; done < total; ) {
    const steps = Math.min(STEPS_PER_CALL, total - done);
    const live = () => engine.arena.words(map.SAMPLER + map.SAMPLER_LIVE, 1);
    live()[0] = 0;
    engine.run("decode", { slot, steps });
    done += steps;
    const isOver = live()[0] === 0;
    turn.onProgress?.(isOver ? total : done, total);
    if (isOver) break;
  }
}

/** What a turn sampled, and how many tokens after its prompt each sequence's cache then holds. */
function readTurn(arena: Arena, blocks: TurnBlocks, B: number, T: number) {
  const rows = arena.words(blocks.rows, (B * map.ROW_BYTES) / 4);
  const column = (word: number) => Int32Array.from({ length: B }, (_, b) => rows[(b * map.ROW_BYTES + word) >> 2]!);
  const result = {
    tokens_BT: arena.words(blocks.tokens, B * T).slice(),
    lengths_B: column(map.ROW_SAMPLED),
    logprobs_BT: arena.floats(blocks.logprobs, B * T).slice(),
    entropies_BT: arena.floats(blocks.entropies, B * T).slice(),
    stopped_B: Uint8Array.from(column(map.ROW_STOPPED)),
  };
  return { result, cached_B: column(map.ROW_CACHED) };
}
