// Conversations that the lab holds for another program: what is sampled elsewhere comes to what it would have come to here.
import { afterEach, describe, expect, it } from "vitest";
import { heldHere, partsOf, placesOf, saidIn, sayingsOf } from "../../scripts/interop/trl/heldTwice.ts";
import type { TurnOrder } from "../../src/cli/rollouts/elsewherePolicy.ts";
import type { HeldConversation, RolloutParts } from "../../src/cli/rollouts/heldRollouts.ts";
import { type RolloutServer, startRolloutServer } from "../../src/cli/rollouts/rolloutServer.ts";
import type { RunConfigInput } from "../../src/protocol/config.ts";
import type { EvaluationRecord } from "../../src/protocol/records.ts";
import { planRun } from "../../src/train/start/plan.ts";

const open: RolloutServer[] = [];
afterEach(() => {
  for (const server of open.splice(0)) server.close();
});

async function serve(parts: RolloutParts): Promise<RolloutServer> {
  const server = await startRolloutServer(parts);
  open.push(server);
  return server;
}

async function post({ url, token }: RolloutServer, path: string, body: object) {
  const answer = await fetch(`${url}/${path}`, {
    method: "POST",
    body: JSON.stringify(body),
    headers: { authorization: `Bearer ${token}` },
  });
  return { status: answer.status, told: (await answer.json()) as { sample?: TurnOrder; result?: unknown; error?: string } };
}

/** What another program does: asks, samples, hands over, until there is a result. */
async function answered<Result>(server: RolloutServer, begun: object, sample: (order: TurnOrder) => readonly (readonly number[])[]) {
  let { told } = await post(server, "begin", { client: "one", ...begun });
  while (told.sample) ({ told } = await post(server, "sampled", { client: "one", turns: sample(told.sample) }));
  if (told.error !== undefined) throw new Error(told.error);
  return told.result as Result;
}

const TASKS: readonly RunConfigInput[] = [
  { task: "router" },
  { task: "countdown" },
  { task: "tic-tac-toe" },
  { task: "guess-number" },
  { task: "calculator", rewardRules: { toolLoop: {} }, trainTurns: "last" },
  {
    task: "boxed-arithmetic",
    rewardRules: { numericMatch: {} },
    rewardClip: 0.5,
    examples: [{ question: "1 + 1 = ?", answer: "\\boxed{2}" }],
  },
];

describe("a server of conversations", () => {
  it.each(TASKS)("holds those of $task as the lab does: ids, masks, rewards", async (config) => {
    const parts = await partsOf(config);
    const sayings = sayingsOf(parts);
    const places = placesOf(40);
    const sample = (order: TurnOrder) => saidIn(order, sayings);
    const there = await answered<readonly HeldConversation[]>(await serve(parts), { what: "rollouts", problems: places }, sample);
    const here = await heldHere(await partsOf(config), places, sayings);
    expect(there).toEqual(JSON.parse(JSON.stringify(here)));
    expect(new Set(there.map(({ total }) => total)).size).toBeGreaterThan(1);
    for (const { sampled, trained, tokens } of there) {
      expect([sampled.length, trained.length]).toEqual([tokens.length, tokens.length]);
      expect(trained.every((each, i) => each <= sampled[i]!)).toBe(true);
    }
  });

  it("gives a group the rewards that code of the configuration makes of it", async () => {
    const source =
      "export const transform = ({ members, member }) => members[member].total - Math.max(...members.map(({ total }) => total));";
    const config: RunConfigInput = {
      task: "boxed-arithmetic",
      rewardTransform: planRun({ config: { rewardTransform: { source } } }).config.rewardTransform,
    };
    const parts = await partsOf(config);
    const sayings = sayingsOf(parts);
    const held = await heldHere(parts, placesOf(16), sayings);
    expect(held.every(({ total }) => total !== null && total <= 0)).toBe(true);
    expect(held.some(({ total }) => total === 0)).toBe(true);
    expect(held.some(({ total }) => total !== null && total < 0)).toBe(true);
  });

  it("evaluates what is sampled elsewhere", async () => {
    const parts = await partsOf({ task: "boxed-arithmetic", evalProblems: 6, evalSamples: 2 });
    const orders: TurnOrder[] = [];
    const sayings = sayingsOf(parts);
    const record = await answered<EvaluationRecord>(await serve(parts), { what: "evaluate", step: 3 }, (order) => {
      orders.push(order);
      return saidIn(order, sayings);
    });
    expect(record).toMatchObject({ step: 3, problems: 6, samplesPerProblem: 2 });
    expect(orders.map(({ temperature, contexts }) => [temperature, contexts.length])).toEqual([
      [0, 6],
      [1, 12],
    ]);
  });

  it("answers nobody without the run's token, and says what is wrong with what is asked", async () => {
    const server = await serve(await partsOf({ task: "boxed-arithmetic" }));
    expect((await post({ ...server, token: "another" }, "begin", { client: "one", what: "evaluate", step: 0 })).status).toBe(401);
    const begin = (body: object) => post(server, "begin", { client: "one", ...body });
    expect(await begin({ what: "rollouts", problems: [4000] })).toEqual({
      status: 400,
      told: { error: "problem must be a whole number from 0 to 63, got 4000" },
    });
    expect((await begin({ what: "guess" })).status).toBe(400);
    expect((await post(server, "sampled", { client: "another", turns: [] })).told.error).toBe("nothing was begun that waits for turns");
    await begin({ what: "rollouts", problems: [0, 0] });
    expect((await post(server, "sampled", { client: "one", turns: [[1]] })).told.error).toBe("2 turns were asked for, got 1");
  });
});
