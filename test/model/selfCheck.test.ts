import { describe, expect, it } from "vitest";
import type { TransformerBackend } from "../../src/model/backend.ts";
import { createTfjsBackend } from "../../src/model/composed/tfjsBackend.ts";
import { checkBackend } from "../../src/model/selfCheck.ts";
import { criticConfig, tiedConfig } from "../support/liveBackend.ts";
import { createNodeHost } from "../support/nodeHost.ts";

/** A true backend with one thing wrong. */
function faulty(backend: TransformerBackend, fault: Partial<TransformerBackend>): TransformerBackend {
  return new Proxy(backend, {
    get(target, key: keyof TransformerBackend) {
      const value = fault[key] ?? target[key];
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

describe("checkBackend", () => {
  it("passes a backend that computes right and leaves no gradient behind", async () => {
    for (const config of [criticConfig, tiedConfig]) {
      const backend = await createTfjsBackend(config, "wasm", createNodeHost());
      expect(await checkBackend(backend)).toEqual({ ok: true, reason: "scores, sampling and gradient agree with the plain reference" });
      expect((await backend.getGradient()).every((value) => value === 0)).toBe(true);
      expect((await backend.getOptimizer()).step).toBe(0);
      backend.dispose();
    }
  });

  it("names what is wrong", async () => {
    const backend = await createTfjsBackend(tiedConfig, "wasm", createNodeHost());
    const score: TransformerBackend["score"] = async (batch, slot) => {
      const scores = await backend.score(batch, slot);
      return { ...scores, entropies_K: scores.entropies_K.map((entropy) => entropy * 1.01) };
    };
    expect((await checkBackend(faulty(backend, { score }))).reason).toMatch(/^entropies differ by/);
    const open: TransformerBackend["open"] = (request) => {
      const sequences = backend.open(request);
      const sample: typeof sequences.sample = async (turn) => {
        const result = await sequences.sample(turn);
        return { ...result, logprobs_BT: result.logprobs_BT.map((logprob) => logprob + 0.01) };
      };
      return { ...sequences, sample };
    };
    expect((await checkBackend(faulty(backend, { open }))).reason).toMatch(/^sampled log-probs differ by/);
    const getGradient = async () => (await backend.getGradient()).map((value, i) => (i % 3 ? value : 0));
    expect((await checkBackend(faulty(backend, { getGradient }))).reason).toMatch(/^the gradient's slope in a random direction/);
    const scaled = async () => (await backend.getGradient()).map((value) => value * 1.1);
    expect((await checkBackend(faulty(backend, { getGradient: scaled }))).reason).toMatch(/^the gradient's slope is/);
    backend.dispose();
  });
});
