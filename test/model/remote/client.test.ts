// A server that is away: the run waits, says so, and says that it is back.
import { describe, expect, it } from "vitest";
import { ServerClient } from "../../../src/model/remote/client.ts";
import { z } from "../../../src/protocol/zod.ts";
import { fakeClock } from "../../support/fakeClock.ts";

const answer = z.object({ ok: z.boolean() });

/** A server that answers from some time on, and holds some paths for a while. */
function served(backAtMs: number, heldMs: Readonly<Record<string, number>> = {}) {
  const clock = fakeClock();
  const server = {
    name: "lab.example",
    async send({ path }: { path: string }) {
      const held = heldMs[path];
      if (held !== undefined) await clock.sleep(held);
      else if (clock.now() < backAtMs) throw new Error("connection refused");
      return { status: 200, body: { ok: true } };
    },
  };
  const client = new ServerClient(server, clock);
  const told: (readonly [string, string | undefined])[] = [];
  const toldAt: number[] = [];
  client.onNotice = ({ message, passing }) => {
    told.push([message, passing]);
    toldAt.push(clock.now());
  };
  return { clock, told, toldAt, ask: (path = "healthz") => client.call("GET", path, undefined, answer) };
}

/** A server that computes for so long behind a proxy that cuts each question after so long; it may answer other calls. */
function proxied(readyAtMs: number, { cutMs = 60_000, answersOthers = false, cut = (): number => 504 } = {}) {
  const clock = fakeClock();
  let asked = 0;
  const server = {
    name: "lab.example",
    async send({ path }: { path: string }) {
      if (path !== "retrieve_future") return answersOthers ? { status: 200, body: {} } : { status: 504, body: null };
      asked += 1;
      await clock.sleep(Math.min(cutMs, Math.max(0, readyAtMs - clock.now())));
      return clock.now() >= readyAtMs ? { status: 200, body: { ok: true } } : { status: cut(), body: null };
    },
  };
  const client = new ServerClient(server, clock);
  const told: string[] = [];
  client.onNotice = ({ message }) => told.push(message);
  const result = async () => {
    let isOver = false;
    // Its session tells it meanwhile that somebody is there.
    const beats = async () => {
      while (!isOver) {
        await clock.sleep(7_000);
        await client.beat("session_heartbeat", {}, 10_000);
      }
    };
    const stopped = beats();
    try {
      return await client.result("forward", "r1", answer, true);
    } finally {
      isOver = true;
      await stopped;
    }
  };
  return { result, told, now: clock.now, asked: () => asked };
}

describe("a result that takes longer than a proxy holds a question", () => {
  const reset = (): number => {
    throw new Error("socket hang up");
  };
  it.each([
    ["answered 502", () => 502],
    ["answered 503", () => 503],
    ["answered 504", () => 504],
    ["answered 524", () => 524],
    ["reset", reset],
  ])("arrives by asking anew where each is %s", async (_, cut) => {
    for (const cutMs of [10_000, 30_000, 60_000, 100_000]) {
      const { result, asked } = proxied(280_000, { cutMs, cut });
      await expect(result()).resolves.toEqual({ ok: true });
      expect(asked()).toBeGreaterThan(2);
    }
  });

  it("arrives after hours where the server answers something else meanwhile, and nothing is told of it", async () => {
    const { result, told } = proxied(5 * 3_600_000, { answersOthers: true });
    await expect(result()).resolves.toEqual({ ok: true });
    expect(told).toEqual([]);
  });

  it("is given up where nobody else has answered for half an hour, which is told at first", async () => {
    const { result, told, now } = proxied(Number.POSITIVE_INFINITY);
    await expect(result()).rejects.toThrow("the server lab.example cannot be reached (retrieve_future: status 504)");
    expect(now() / 60_000).toBeCloseTo(30, 0);
    expect(told).toEqual([
      "The server lab.example has not answered for 60 s (status 504). It is asked again for up to 1800 s; once it answers, the run goes on by itself.",
    ]);
  });
});

describe("a server that is away", () => {
  it("is told of once while the run waits, and when it is back", async () => {
    const { told, ask } = served(20_000);
    await expect(ask()).resolves.toEqual({ ok: true });
    await ask();
    expect(told).toEqual([
      [
        "The server lab.example has not answered for 3 s (connection refused). It is asked again for up to 60 s; once it answers, the run goes on by itself.",
        "begun",
      ],
      ["The server lab.example answers again; the run goes on.", "over"],
    ]);
  });

  it("is not told of where it is back at once", async () => {
    const { told, ask } = served(1_000);
    await ask();
    expect(told).toEqual([]);
  });

  it("is away from the first failure on, however long that request took", async () => {
    const clock = fakeClock();
    const send = async () => {
      if (clock.now() >= 55_000) return { status: 200, body: { ok: true } };
      await clock.sleep(30_000);
      throw new Error("no answer in time");
    };
    const client = new ServerClient({ name: "lab.example", send }, clock);
    await expect(client.call("GET", "healthz", undefined, answer)).resolves.toEqual({ ok: true });
  });

  it("is back with an answer that comes late, to a request from before it was away", async () => {
    const { clock, told, toldAt, ask } = served(100_000, { slow: 10_000 });
    const [slow, other] = [ask("slow"), ask()];
    await expect(slow).resolves.toEqual({ ok: true });
    expect(clock.now()).toBe(10_000);
    // Told of while both were under way, and taken back as the late one came.
    expect(told.map(([, passing]) => passing)).toEqual(["begun", "over"]);
    expect(toldAt[0]).toBeGreaterThanOrEqual(3_000);
    expect(toldAt[0]).toBeLessThan(10_000);
    expect(toldAt[1]).toBe(10_000);
    // The other one has all of its patience again: a minute from its next failure on.
    await expect(other).rejects.toThrow("cannot be reached");
    expect(clock.now()).toBeGreaterThanOrEqual(70_000);
  });

  it("is given up in a sentence", async () => {
    const { told, ask } = served(1e9);
    await expect(ask()).rejects.toThrow("the server lab.example cannot be reached (healthz: connection refused)");
    expect(told).toHaveLength(1);
  });
});
