// The queue in which charts draw, on a clock that only the test moves.
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { drawNewest, takeTurn } from "../../../../../src/ui/kit/charts/series/turns.ts";

/** Rest after a turn that took no time, and the longest wait for one that never ends. */
const REST_MS = 16;
const LONGEST_MS = 500;

let begun: string[] = [];
let leave: (() => void)[] = [];

/** Queues a drawing that takes this long; null never says that it is done. */
function queue(name: string, tookMs: number | null = 0, delayMs = 0): () => void {
  const turn = (done: () => void) => {
    begun.push(name);
    if (tookMs === 0) done();
    else if (tookMs !== null) setTimeout(done, tookMs);
  };
  const leaveQueue = takeTurn(turn, delayMs);
  leave.push(leaveQueue);
  return leaveQueue;
}

/** What begins in the next so many ms. */
async function within(ms: number): Promise<readonly string[]> {
  begun = [];
  await vi.advanceTimersByTimeAsync(ms);
  return begun;
}

beforeEach(() => {
  vi.useFakeTimers();
});
// The queue outlives a test: what is left of it runs out here.
afterEach(async () => {
  for (const each of leave) each();
  leave = [];
  await vi.advanceTimersByTimeAsync(10 * LONGEST_MS);
  vi.useRealTimers();
});

describe("the charts' turns", () => {
  it("come in the order they were asked for, one at a time", async () => {
    for (const name of ["a", "b", "c"]) queue(name);
    expect(await within(0)).toEqual(["a"]);
    expect(await within(REST_MS - 1)).toEqual([]);
    expect(await within(1)).toEqual(["b"]);
    expect(await within(REST_MS)).toEqual(["c"]);
  });

  it("leave the page twice as long to itself as they took", async () => {
    queue("a", 30);
    queue("b");
    expect(await within(30 + 60 - 1)).toEqual(["a"]);
    expect(await within(1)).toEqual(["b"]);
  });

  it("rest after the last one too, whoever comes then", async () => {
    queue("a", 30);
    expect(await within(31)).toEqual(["a"]);
    queue("b");
    expect(await within(58)).toEqual([]);
    expect(await within(1)).toEqual(["b"]);
  });

  it("go to the next when one gives its place up", async () => {
    queue("a");
    const leaveB = queue("b");
    queue("c");
    expect(await within(0)).toEqual(["a"]);
    leaveB();
    expect(await within(REST_MS)).toEqual(["c"]);
    expect(await within(LONGEST_MS)).toEqual([]);
  });

  it("begin only after the delay that was asked for, unless the place was given up", async () => {
    queue("late", 0, 100);
    const leaveNever = queue("never", 0, 100);
    expect(await within(99)).toEqual([]);
    leaveNever();
    expect(await within(LONGEST_MS)).toEqual(["late"]);
  });

  it("do not wait longer than half a second for one that never says it is done", async () => {
    queue("lost", null);
    queue("b");
    expect(await within(LONGEST_MS - 1)).toEqual(["lost"]);
    expect(await within(1)).toEqual(["b"]);
  });

  it("end at once where the newest value is the one already shown", async () => {
    const shown: number[] = [];
    const draw = (newest: number) => leave.push(takeTurn((done) => drawNewest(newest, 1, (value) => shown.push(value), done)));
    draw(1);
    queue("b");
    expect(await within(REST_MS)).toEqual(["b"]);
    expect(shown).toEqual([]);
    draw(2);
    await within(REST_MS);
    expect(shown).toEqual([2]);
  });
});
