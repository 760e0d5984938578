// A server that is away: the run waits, says so, and says that it is back.
import { describe, expect, it } from "vitest";
import { ServerClient } from "../../../src/model/remote/client.ts";
import { z } from "../../../src/protocol/zod.ts";

/** A server that answers from some time on, and a clock that stands still but for waiting. */
function served(backAtMs: number) {
  let now = 0;
  const clock = {
    now: () => now,
    sleep: async (ms: number) => {
      now += ms;
    },
  };
  const server = {
    name: "lab.example",
    send: async () => {
      if (now < backAtMs) throw new Error("connection refused");
      return { status: 200, body: { ok: true } };
    },
  };
  const client = new ServerClient(server, clock);
  const told: (readonly [string, string | undefined])[] = [];
  client.onNotice = ({ message, passing }) => told.push([message, passing]);
  return { told, ask: () => client.call("GET", "healthz", undefined, z.object({ ok: z.boolean() })) };
}

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

  it("is given up in a sentence", async () => {
    const { told, ask } = served(1e9);
    await expect(ask()).rejects.toThrow("the server lab.example cannot be reached (healthz: connection refused)");
    expect(told).toHaveLength(1);
  });
});
