// A server that is away for some seconds in the middle of a run: whoever watches is told that the run waits, and that it goes on.
import { expect, it } from "vitest";
import type { RunConfigInput } from "../../../src/protocol/config.ts";
import { driveSession } from "../../support/driveSession.ts";
import { TinkerServer } from "../../support/tinkerServer.ts";

it("a run says that it waits for its server, that the server is back, and ends", async () => {
  const server = new TinkerServer({});
  let [now, backAt] = [0, 0];
  const session = await driveSession({
    openServer: async () => ({
      name: server.name,
      send: (request) => (now < backAt ? Promise.reject(new Error("connection refused")) : server.send(request)),
    }),
    now: () => now,
    sleep: async (ms) => {
      // Heartbeats wait long; nothing else does.
      if (ms >= 10_000) return new Promise(() => {});
      now += ms;
    },
  });
  const config: RunConfigInput = {
    ...{ task: "boxed-arithmetic", algorithm: "grpo", checkpoint: "base", maxCompletionTokens: 8, backend: "tinker", loraRank: 2 },
    ...{ groupSize: 2, promptsPerStep: 2, klCoef: 0, steps: 2, evalEvery: 0, evalProblems: 2 },
  };
  await session.send({ type: "start", runId: "away", config, paused: true });
  backAt = now + 20_000;
  const over = session.next("state", ({ state }) => state === "finished" || state === "failed");
  await session.send({ type: "resume" });
  expect((await over).state).toBe("finished");
  expect(session.all("notice").map(({ runId, message, passing }) => [runId, message, passing])).toEqual([
    ["away", expect.stringMatching(/^The server .* has not answered for 3 s \(connection refused\)\. It is asked again/), "begun"],
    ["away", expect.stringMatching(/answers again; the run goes on\.$/), "over"],
  ]);
  server.close();
});
