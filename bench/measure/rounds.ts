// Peers take turns within a run, round after round, so that a change of the machine's mood (clock,
// neighbours, temperature) meets all of them. A round gives each peer one number for each phase.

import { type PeerSpec, type ProductRate, peerId, peerTitle, type RunningPeer, type StartPeer } from "../peer.ts";
import { peakGflops } from "../peers/products.ts";
import type { Missing, PeerResult, SizeResult } from "../report/result.ts";
import { median, summarize } from "../report/statistics.ts";
import { type BenchPhase, decodeFlops, trainFlops, type Workload } from "./workload.ts";

export interface RoundOptions {
  readonly rounds: number;
  /** A peer's turn at a phase lasts about this long; at least one repeat. */
  readonly turnMs: number;
  readonly report: (line: string) => void;
}

interface Entry {
  readonly spec: PeerSpec;
  readonly running: RunningPeer;
  readonly repeats: Readonly<Record<BenchPhase, number>>;
  /** One median a round. */
  readonly train: number[];
  readonly decode: number[];
  readonly products: (readonly ProductRate[])[];
}

const MOST_REPEATS = 20;

async function openPeer(spec: PeerSpec, workload: Workload, start: StartPeer, turnMs: number): Promise<Entry> {
  const running = await start(spec, workload);
  const repeatsOf = async (phase: BenchPhase) => {
    const once = (await running.time(phase, 1))[0] ?? turnMs;
    return Math.max(1, Math.min(MOST_REPEATS, Math.floor(turnMs / once)));
  };
  const repeats = { train: await repeatsOf("train"), decode: await repeatsOf("decode") };
  return { spec, running, repeats, train: [], decode: [], products: [] };
}

async function takeTurn(entry: Entry): Promise<void> {
  const { running, repeats } = entry;
  entry.train.push(median(await running.time("train", repeats.train)));
  entry.decode.push(median(await running.time("decode", repeats.decode)));
  const products = await running.products();
  if (products) entry.products.push(products);
}

/** Median rate of each product over the rounds. */
export function medianProducts(rounds: readonly (readonly ProductRate[])[]): readonly ProductRate[] {
  return (rounds[0] ?? []).map((product, i) => ({ ...product, gflops: median(rounds.map((round) => round[i]?.gflops ?? Number.NaN)) }));
}

async function resultOf({ spec, running, train, decode, products }: Entry, workload: Workload): Promise<PeerResult> {
  const iteration = train.map((ms, round) => ms + decode[round]!);
  const gflops = (flops: number, ms: readonly number[]) => flops / median(ms) / 1e6;
  const trainGflops = gflops(trainFlops(workload), train);
  const decodeGflops = gflops(decodeFlops(workload), decode);
  const rates = medianProducts(products);
  const peak = rates.length > 0 ? peakGflops(rates) : null;
  const { threads } = running.facts;
  return {
    peer: peerId(spec),
    title: peerTitle(spec),
    spec,
    version: running.facts.version,
    note: running.facts.note,
    train: summarize(train),
    decode: summarize(decode),
    iteration: summarize(iteration),
    trainGflops,
    decodeGflops,
    tokensPerSecond: (workload.batch * workload.length * 1000) / median(decode),
    peak:
      peak === null
        ? null
        : { gflops: peak, products: rates, trainShare: trainGflops / threads / peak, decodeShare: decodeGflops / threads / peak },
    memory: await running.memory(),
  };
}

/** Measures all peers on one workload. A peer that cannot run, or fails on the way, is named with the reason. */
export async function measureWorkload(
  size: string,
  workload: Workload,
  specs: readonly PeerSpec[],
  start: StartPeer,
  options: RoundOptions,
): Promise<SizeResult> {
  const missing: Missing[] = [];
  let entries: Entry[] = [];
  const fail = async (spec: PeerSpec, error: unknown, running: RunningPeer | null) => {
    const reason = error instanceof Error ? error.message : String(error);
    options.report(`${size}: ${peerId(spec)} is left out: ${reason}`);
    missing.push({ peer: peerId(spec), reason });
    await running?.close();
  };
  try {
    for (const spec of specs) {
      options.report(`${size}: starting ${peerId(spec)}`);
      try {
        entries.push(await openPeer(spec, workload, start, options.turnMs));
      } catch (error) {
        await fail(spec, error, null);
      }
    }
    for (let round = 1; round <= options.rounds; round++) {
      options.report(`${size}: round ${round} of ${options.rounds}`);
      for (const entry of [...entries]) {
        try {
          await takeTurn(entry);
        } catch (error) {
          await fail(entry.spec, error, entry.running);
          entries = entries.filter((other) => other !== entry);
        }
      }
    }
    const peers: PeerResult[] = [];
    for (const entry of entries) peers.push(await resultOf(entry, workload));
    return { size, workload, trainFlops: trainFlops(workload), decodeFlops: decodeFlops(workload), rounds: options.rounds, peers, missing };
  } finally {
    for (const { running } of entries) await running.close();
  }
}
