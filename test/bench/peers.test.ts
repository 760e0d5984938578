// Peers as they are chosen and as they answer; batches of the preset's step in both forms.
import { describe, expect, it } from "vitest";
import { packPadded } from "../../bench/measure/padded.ts";
import { measureWorkload } from "../../bench/measure/rounds.ts";
import { workloadOf } from "../../bench/measure/workload.ts";
import { parseOptions } from "../../bench/options.ts";
import { type PeerSpec, peerId, type RunningPeer } from "../../bench/peer.ts";
import { choosePeers } from "../../bench/peers/choosePeers.ts";
import { packGroups } from "../../src/train/step/update/batch.ts";

/** A peer whose phases take fixed times and that notes its turns. */
function fixedPeer(name: string, trainMs: number, decodeMs: number, turns: string[]): RunningPeer {
  return {
    facts: { version: "1", threads: 1, note: "" },
    time: async (phase, repeats) => {
      turns.push(`${name} ${phase}`);
      return Array.from({ length: repeats }, () => (phase === "train" ? trainMs : decodeMs));
    },
    memory: async () => ({ peakMiB: 1, baseMiB: 1, engineMiB: null }),
    products: async () => null,
    gpuCounts: async () => null,
    gpuRecording: async () => null,
    close: async () => {},
  };
}

describe("rounds", () => {
  const workload = workloadOf("tiny");
  const specs: readonly PeerSpec[] = [
    { engine: "wasm", runtime: "node", threads: 1, build: "relaxed" },
    { engine: "jax-js", runtime: "node", threads: 1 },
    { engine: "pytorch", runtime: "python", threads: 1 },
  ];

  it("alternate between the peers and name one that cannot run", async () => {
    const turns: string[] = [];
    const start = async (spec: PeerSpec) => {
      if (spec.engine === "pytorch") throw new Error("no torch here");
      return spec.engine === "wasm" ? fixedPeer("own", 20, 10, turns) : fixedPeer("jax", 60, 30, turns);
    };
    const result = await measureWorkload("tiny", workload, specs, start, { rounds: 2, turnMs: 1, report: () => {} });
    expect(turns.slice(4)).toEqual([
      "own train",
      "own decode",
      "jax train",
      "jax decode",
      "own train",
      "own decode",
      "jax train",
      "jax decode",
    ]);
    expect(result.missing).toEqual([{ peer: "pytorch-1t", reason: "no torch here" }]);
    const [own, jax] = result.peers;
    expect(own?.iteration.medianMs).toBe(30);
    expect(jax?.iteration.medianMs).toBe(90);
    expect(own?.tokensPerSecond).toBe((32 * 64) / 0.01);
    expect(own?.trainGflops).toBeCloseTo(result.trainFlops / 0.02 / 1e9, 6);
  });
});

describe("the choice of peers", () => {
  it("has different names for different peers", () => {
    const ids = choosePeers({ threads: [1, 2], browser: true, gpu: true, only: [] }).map(peerId);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it("keeps only the named ones", () => {
    const ids = choosePeers({ threads: [1, 2], browser: true, gpu: false, only: ["jax-js", "pytorch-2t"] }).map(peerId);
    expect(ids).toEqual(["jax-js-node-1t", "jax-js-chromium-2t", "pytorch-2t"]);
  });

  it("refuses sizes and numbers it does not know", () => {
    expect(() => parseOptions(["--sizes", "huge"])).toThrow("tiny, small, med");
    expect(() => parseOptions(["--rounds", "0"])).toThrow("--rounds must be a whole number >= 1");
    expect(parseOptions(["--help"])).toBeNull();
  });
});

describe("the padded batch", () => {
  const groups = [
    { promptTokens: [1, 2, 3], completions: [[4], [5, 6, 7]] },
    { promptTokens: [8], completions: [[9, 10]] },
  ];
  const packed = packGroups(groups, 1);
  const padded = packPadded(groups, 0, 1);

  it("gives every completion the longest prompt's and the longest completion's rows", () => {
    expect(padded.tokens_N).toHaveLength(3 * (3 + 3 - 1));
    expect([...padded.segmentPrefix_S]).toEqual([-1, -1, -1]);
    expect([...padded.unitSegment_U]).toEqual([0, 1, 2, 3]);
  });

  it("scores the same tokens after the same tokens", () => {
    const seenTokens = (batch: typeof packed, k: number) => {
      const row = batch.scoreRow_K[k]!;
      const segment = batch.segmentStart_S.findLastIndex((start) => start <= row);
      const prefix = batch.segmentPrefix_S[segment]!;
      const rows = (s: number, end: number) => Array.from(batch.tokens_N.subarray(batch.segmentStart_S[s], end));
      const shared = prefix < 0 ? [] : rows(prefix, batch.segmentStart_S[prefix]! + batch.segmentLength_S[prefix]!);
      return [...shared, ...rows(segment, row + 1)];
    };
    const lengths = [1, 3, 2];
    for (const [q, length] of lengths.entries()) {
      for (let i = 0; i < length; i++) {
        const [a, b] = [packed.sequenceStart_Q[q]! + i, padded.sequenceStart_Q[q]! + i];
        expect(padded.scoreTarget_K[b]).toBe(packed.scoreTarget_K[a]);
        expect(seenTokens(padded, b)).toEqual(seenTokens(packed, a));
      }
    }
  });
});
