// A model on a server is evaluated while the next step is sampled: the same records as one after the other, and nothing lost where it fails.
import { expect, it } from "vitest";
import type { ServerRequest } from "../../../src/model/remote/server.ts";
import type { RunConfigInput } from "../../../src/protocol/config.ts";
import { isTimedMetric } from "../../../src/protocol/records.ts";
import { driveSession } from "../../support/driveSession.ts";
import { type Fault, TinkerServer } from "../../support/tinkerServer.ts";

const config: RunConfigInput = {
  ...{ task: "boxed-arithmetic", algorithm: "grpo", checkpoint: "base", maxCompletionTokens: 8, backend: "tinker", loraRank: 2 },
  ...{ groupSize: 2, promptsPerStep: 2, klCoef: 0, steps: 4, evalEvery: 1, evalProblems: 3, evalSamples: 2, learningRate: 0.01 },
};

interface Sample {
  readonly prompt: { readonly chunks: readonly { readonly tokens: readonly number[] }[] };
  readonly sampling_session_id?: string;
}

interface Way {
  readonly faults?: (request: ServerRequest, n: number) => Fault | null;
  /** Each step is asked for by itself. */
  readonly isStepped?: boolean;
  /** Prompts that get no answer from the weights after the first step until the run has paused. */
  readonly unanswered?: readonly string[];
}

/** Trains on a server that answers a request for samples only once others have had the chance to come. */
async function train({ faults = () => null, isStepped = false, unanswered = [] }: Way = {}) {
  const server = new TinkerServer({ faults });
  let [now, hasPaused] = [0, false];
  const open = new Map<ServerRequest, string>();
  const together: string[][] = [];
  const sessionsOf = new Map<string, Set<string>>();
  const session = await driveSession({
    openServer: async () => ({
      name: server.name,
      send: async (request) => {
        if (request.path !== "asample") return server.send(request);
        const { prompt, sampling_session_id } = request.body as Sample;
        const tokens = prompt.chunks.flatMap((chunk) => chunk.tokens).join(" ");
        sessionsOf.set(tokens, (sessionsOf.get(tokens) ?? new Set()).add(String(sampling_session_id)));
        if (unanswered.includes(tokens) && !hasPaused && sessionsOf.get(tokens)!.size === 2) throw new Error("connection refused");
        open.set(request, tokens);
        for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
        together.push([...open.values()]);
        return server.send(request).finally(() => open.delete(request));
      },
    }),
    now: () => now,
    sleep: async (ms) => {
      // Heartbeats wait long; nothing else does.
      if (ms >= 10_000) return new Promise(() => {});
      now += ms;
    },
  });
  const over = session.next("state", ({ state }) => state === "finished" || state === "failed");
  await session.send({ type: "start", runId: "beside", config, paused: isStepped });
  if (unanswered.length > 0) {
    await session.next("state", ({ state }) => state === "paused");
    hasPaused = true;
    await session.send({ type: "resume" });
  }
  for (let step = 0; isStepped && step < 4; step++) await session.send({ type: "advance", unit: "step" });
  if (isStepped) await session.send({ type: "resume" });
  const { state } = await over;
  server.close();
  const steps = session
    .all("steps")
    .flatMap(({ records }) => records)
    .map(({ step, metrics }) => [step, Object.entries(metrics).filter(([name]) => !isTimedMetric(name))]);
  return { state, steps, evaluations: session.all("evaluation").map(({ record }) => record), together, sessionsOf, hasPaused };
}

it("asks the held-out problems while the next step is sampled, with the same weights, and records what it would one after the other", async () => {
  const beside = await train();
  expect(beside.state).toBe("finished");
  expect(beside.evaluations.map(({ step }) => step)).toEqual([0, 1, 2, 3, 4]);
  const apart = await train({ isStepped: true });
  expect(beside.steps).toEqual(apart.steps);
  expect(beside.evaluations).toEqual(apart.evaluations);
  // The held-out problems are those that the weights of every step and of the start were asked.
  const isHeldOut = (prompt: string) => beside.sessionsOf.get(prompt)!.size === 5;
  const isBoth = (prompts: readonly string[]) => prompts.some(isHeldOut) && !prompts.every(isHeldOut);
  expect([...beside.sessionsOf.keys()].filter(isHeldOut)).toHaveLength(3);
  expect(beside.together.some(isBoth)).toBe(true);
  expect(apart.together.some(isBoth)).toBe(false);
});

it.each(["lost answer", "restart", "forget", 503] as const)("comes to the same records through %s", async (fault) => {
  const undisturbed = await train();
  let n = 0;
  const disturbed = await train({ faults: ({ path }) => (path === "asample" && ++n % 23 === 9 ? fault : null) });
  expect(n).toBeGreaterThan(32);
  expect(disturbed.state).toBe("finished");
  expect(disturbed.steps).toEqual(undisturbed.steps);
  expect(disturbed.evaluations).toEqual(undisturbed.evaluations);
});

it("takes back the step that was begun where the problems beside it get no answer, and asks them when the run goes on", async () => {
  const undisturbed = await train();
  const heldOut = [...undisturbed.sessionsOf].filter(([, sessions]) => sessions.size === 5).map(([prompt]) => prompt);
  const resumed = await train({ unanswered: heldOut });
  expect(resumed.hasPaused).toBe(true);
  expect(resumed.steps).toEqual(undisturbed.steps);
  expect(resumed.evaluations).toEqual(undisturbed.evaluations);
});
