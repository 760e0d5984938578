// The tour leads from the first screen to a token's numbers, by what is on the page alone.
import { describe, expect, it } from "vitest";
import { STOPS, type StopId, stopAfter, type TourFacts } from "../../../../src/ui/shell/tour/stops.ts";

const FIRST: TourFacts = { screen: "train", isLanding: false, state: "idle", kind: "reinforcement", hasGroup: false, hasToken: false };

/** The stops that a visitor sees as the page changes. */
function walk(...changes: readonly Partial<TourFacts>[]): (StopId | "over" | null)[] {
  let facts = FIRST;
  let reached: StopId | null = null;
  return changes.map((change) => {
    facts = { ...facts, ...change };
    const stop = stopAfter(reached, facts);
    if (stop !== "over") reached = stop ?? reached;
    return stop;
  });
}

describe("the tour", () => {
  it("goes from Train to a group, an answer and a token", () => {
    const stops = walk(
      {},
      { state: "preparing" },
      { state: "running" },
      { hasGroup: true },
      { screen: "rollouts" },
      { state: "finished" },
      { hasToken: true },
    );
    expect(stops).toEqual(["train", "wait", "wait", "group", "token", "token", "done"]);
    const places = stops.map((stop) => STOPS[stop as StopId].place);
    expect(places).toEqual([...places].sort());
  });

  it("never goes back to a stop before the furthest, and waits while there is nothing to do for it", () => {
    const opened: Partial<TourFacts>[] = [{ state: "running", hasGroup: true }, { screen: "rollouts" }];
    expect(walk(...opened, { screen: "train" }, { screen: "rollouts" })).toEqual(["group", "token", null, "token"]);
    expect(walk(...opened, { state: "idle", hasGroup: false }, { screen: "train" })).toEqual(["group", "token", null, null]);
    expect(walk({}, { screen: "compare" }, { screen: "train" })).toEqual(["train", null, "train"]);
    expect(walk({ state: "preparing" }, { state: "failed" }, { state: "preparing" })).toEqual(["wait", "failed", "wait"]);
    expect(STOPS.failed.place).toBe(STOPS.wait.place);
  });

  it("stays at its last stop from token to token, and is over when that is left", () => {
    const told: Partial<TourFacts>[] = [{ state: "running", hasGroup: true, screen: "rollouts", hasToken: true }, { hasToken: false }];
    for (const screen of ["explain", "train", "compare"] as const) expect(walk(...told, { screen })).toEqual(["done", "done", "over"]);
  });

  it("says what is in the way where a run has no rollouts or did not start", () => {
    expect(walk({ state: "running", kind: "supervised", hasGroup: true })).toEqual(["supervised"]);
    expect(walk({ state: "failed" })).toEqual(["failed"]);
  });

  it("is read in under 40 seconds, at 200 words a minute", () => {
    const told = (["train", "group", "token", "done"] as const).map((id) => `${STOPS[id].title} ${STOPS[id].text}`).join(" ");
    expect((told.split(/\s+/).length / 200) * 60).toBeLessThan(40);
  });
});
