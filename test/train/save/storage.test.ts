// How long storage may take, where the engine that waits for it computes at the same time.
import { describe, expect, it } from "vitest";
import { within } from "../../../src/train/save/storage.ts";

const host = { sleep: (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms)) };
/** An answer of storage: there and back, each a task of the event loop. */
const answer = () => new Promise<string>((resolve) => setImmediate(() => setImmediate(() => resolve("stored"))));

function beBusy(ms: number): void {
  for (const until = performance.now() + ms; performance.now() < until; );
}

describe("a time limit of storage", () => {
  it("does not run out while the engine computes and cannot hear the answer", async () => {
    const waiting = within(200, host, answer());
    beBusy(400);
    expect(await waiting).toBe("stored");
  });

  it("runs out where there is no answer", async () => {
    await expect(within(50, host, new Promise(() => {}))).rejects.toThrow("The storage of saved runs has not answered for 0 seconds.");
  });

  it("hands on what storage says is wrong", async () => {
    await expect(within(50, host, Promise.reject(new Error("full")))).rejects.toThrow("full");
  });
});
