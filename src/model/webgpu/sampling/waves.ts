// How open sequences lie in the cache of keys and values, and which tokens a turn has to run before it
// samples. A cache has the prompts of a wave of sequences, once each, and then a run of rows for each
// sequence's own tokens. Whatever it lacks is run again from the tokens, so that new sequences, ones
// that were extended and ones whose cache went to others are all filled in the same way.
import type { OpenRequest } from "../../../rl/policy.ts";
import { cutSpans, type Span } from "../../backend.ts";
import { WAVE_BYTES } from "../../samplerWaves.ts";
import { type DeviceSizes, mostPerMicroBatch } from "../plan/deviceSizes.ts";

/** Rows a prefill takes at once, where the device allows. */
const usualRows = 512;

/** Open sequences and all their tokens. */
export interface Lines extends Pick<OpenRequest, "prompts" | "promptOf_B"> {
  readonly own_B: readonly (readonly number[])[];
}

/** Sequences [first, last) that share a cache. */
export interface Wave extends Span {
  readonly firstPrompt: number;
  /** Cache row of the first token of each prompt from `firstPrompt` on, and of the first sequence's own. */
  readonly start_P: readonly number[];
  /** Cache rows for each sequence's own tokens. */
  readonly room: number;
}

/** What a cache has: the prompts of a wave, and so many of each of its sequences' own tokens. */
export interface Held {
  readonly wave: Wave;
  readonly tokens_B: Int32Array;
}

/** Words of a row (see kernel.ts); those from the fifth on have their meaning from `decodingWords`. */
type Row = readonly [prefixStart: number, prefixLength: number, ownStart: number, ownLength: number, ...number[]];

/** What the buffers of a plan hold. */
export interface SamplingCapacity {
  /** Of the cache: tokens of prompts and sequences. */
  readonly cacheRows: number;
  /** Of one prefill. */
  readonly rows: number;
  readonly sequences: number;
  /** Sequences times new tokens of a turn. */
  readonly draws: number;
  readonly positions: number;
}

/** Most cache rows that this device can bind, and that all layers together may take. */
export function mostCacheRows({ bindingBytes, shape, config }: DeviceSizes): number {
  return Math.floor(Math.min(bindingBytes, WAVE_BYTES / config.layers) / 4 / (2 * shape.KV));
}

/** Cuts sequences with room for so many own tokens into waves that fit the device; a prompt whose sequences are split lies in each. */
export function cutWaves(engine: DeviceSizes, { prompts, promptOf_B }: OpenRequest, room: number): Wave[] {
  const cacheRows = mostCacheRows(engine);
  const most = mostPerMicroBatch(engine);
  // Choosing a token takes a workgroup for each sequence; each is a row and a scored token of a step.
  const mostSequences = Math.min(most.rows, most.sequences, engine.workgroups);
  const start_P = [0];
  for (const prompt of prompts) start_P.push(start_P.at(-1)! + prompt.length);
  const startOf = (first: number) => start_P[promptOf_B[first]!]!;
  const endOf = (last: number) => start_P[promptOf_B[last - 1]! + 1]!;
  const fits = (first: number, last: number) =>
    last - first <= mostSequences && endOf(last) - startOf(first) + (last - first) * room <= cacheRows;
  return cutSpans(promptOf_B.length, fits).map(({ first, last }) => {
    const firstPrompt = promptOf_B[first]!;
    const { length } = prompts[firstPrompt]!;
    if (!fits(first, last))
      throw new Error(`a prompt of ${length} tokens and ${room} new ones exceed the ${cacheRows} cache rows of this GPU`);
    const own = start_P.slice(firstPrompt, promptOf_B[last - 1]! + 2).map((start) => start - startOf(first));
    return { first, last, firstPrompt, start_P: own, room };
  });
}

/** What a plan needs to hold for a wave. */
export function waveCapacity(engine: DeviceSizes, { first, last, start_P, room }: Wave): SamplingCapacity {
  const sequences = last - first;
  const promptRows = start_P.at(-1)!;
  const cacheRows = promptRows + sequences * room;
  const longest = start_P.reduce((most, start, p) => Math.max(most, start - (start_P[p - 1] ?? 0)), 0);
  const rows = Math.min(mostPerMicroBatch(engine).rows, cacheRows, Math.max(promptRows, sequences, usualRows));
  return { cacheRows, rows, sequences, draws: sequences * room, positions: longest + room };
}

/** The first words of a row of a sequence's own tokens. */
function ownRuns({ first, firstPrompt, start_P, room }: Wave, { prompts, promptOf_B }: Lines, sequence: number) {
  const p = promptOf_B[sequence]!;
  return [start_P[p - firstPrompt]!, prompts[p]!.length, start_P.at(-1)! + (sequence - first) * room] as const;
}

/** The row of token i of a prompt. */
function promptRow(wave: Wave, { prompts }: Lines, p: number, i: number): Row {
  return [0, 0, wave.start_P[p - wave.firstPrompt]!, i + 1, 0, 0, 0, prompts[p]![i]!];
}

/** The row of token i of a sequence's own. */
function ownRow(wave: Wave, lines: Lines, sequence: number, i: number): Row {
  return [...ownRuns(wave, lines, sequence), i + 1, 0, 0, 0, lines.own_B[sequence]![i]!];
}

const packRows = (rows: readonly Row[]): Uint32Array<ArrayBuffer> => Uint32Array.from(rows.flat());

/** The rows that sequences decode with, each about to get the token behind all it has; places count from 0. */
export function decodingRows(wave: Wave, lines: Lines, sequences: Int32Array): Uint32Array<ArrayBuffer> {
  const rowOf = (sequence: number, place: number): Row => {
    const { length } = lines.own_B[sequence]!;
    return [...ownRuns(wave, lines, sequence), length, place, 0, length, 0];
  };
  return packRows(Array.from(sequences, rowOf));
}

/** Rows to run before sequences are sampled. */
export interface Prefill {
  /** Runs whose keys and values alone are wanted, in order. */
  readonly fills: readonly Uint32Array<ArrayBuffer>[];
  /** The run that ends with a token for each sequence. */
  readonly last: Uint32Array<ArrayBuffer>;
  /** Row of `last` that gives each sequence's logits. */
  readonly lastRow: Uint32Array<ArrayBuffer>;
}

/** What a cache lacks for these sequences, in runs of at most `mostRows`. @param held null where it has nothing of the wave */
export function prefillOf(wave: Wave, lines: Lines, sequences: Int32Array, held: Held | null, mostRows: number): Prefill {
  const { prompts, promptOf_B, own_B } = lines;
  const missingPrompts = held ? [] : prompts.slice(wave.firstPrompt, wave.firstPrompt + wave.start_P.length - 1);
  const missing = missingPrompts.flatMap((prompt, p) => prompt.map((_, i) => promptRow(wave, lines, wave.firstPrompt + p, i)));
  for (const sequence of sequences) {
    for (let i = held?.tokens_B[sequence - wave.first] ?? 0; i < own_B[sequence]!.length; i++)
      missing.push(ownRow(wave, lines, sequence, i));
  }
  const lastRows = Array.from(sequences, (sequence) => {
    const own = own_B[sequence]!.length;
    const p = promptOf_B[sequence]!;
    return own > 0 ? ownRow(wave, lines, sequence, own - 1) : promptRow(wave, lines, p, prompts[p]!.length - 1);
  });
  // A row is known by the cache row it writes. One whose logits are wanted may be run a second time: it writes what is there.
  const cacheRowOf = (row: Row) => row[2] + row[3] - 1;
  const byCacheRow = (rows: readonly Row[]) => new Map(rows.map((row) => [cacheRowOf(row), row]));
  const all = byCacheRow([...missing, ...lastRows]);
  const together = all.size <= mostRows;
  const last = together ? all : byCacheRow(lastRows);
  const places = new Map([...last.keys()].map((cacheRow, i) => [cacheRow, i]));
  const fills: Uint32Array<ArrayBuffer>[] = [];
  for (let i = 0; i < missing.length && !together; i += mostRows) fills.push(packRows(missing.slice(i, i + mostRows)));
  return { fills, last: packRows([...last.values()]), lastRow: Uint32Array.from(lastRows, (row) => places.get(cacheRowOf(row))!) };
}
