// The tour leads from the first screen to a token's numbers, by what is on the page alone.
import { describe, expect, it } from "vitest";
import { STOPS, stopAt, type TourFacts } from "../../../src/ui/tour/stops.ts";

const FIRST: TourFacts = { screen: "train", state: "idle", kind: "reinforcement", hasGroup: false, hasToken: false };

describe("the tour", () => {
  it("goes from Train to a group, an answer and a token", () => {
    const path: readonly Partial<TourFacts>[] = [
      {},
      { state: "preparing" },
      { state: "running" },
      { hasGroup: true },
      { screen: "rollouts" },
      { state: "finished" },
      { hasToken: true },
    ];
    let facts = FIRST;
    const stops = path.map((change) => {
      facts = { ...facts, ...change };
      return stopAt(facts);
    });
    expect(stops).toEqual(["train", "wait", "wait", "group", "token", "token", "done"]);
    const places = stops.map((stop) => STOPS[stop!].place);
    expect(places).toEqual([...places].sort());
  });

  it("goes back with the visitor, and waits while they are elsewhere", () => {
    expect(stopAt({ ...FIRST, screen: "rollouts" })).toBe("train");
    expect(stopAt({ ...FIRST, state: "running", hasGroup: true, hasToken: true })).toBe("group");
    expect(stopAt({ ...FIRST, screen: "compare" })).toBeNull();
  });

  it("says what is in the way where a run has no rollouts or did not start", () => {
    expect(stopAt({ ...FIRST, state: "running", kind: "supervised", hasGroup: true })).toBe("supervised");
    expect(stopAt({ ...FIRST, state: "failed" })).toBe("failed");
  });

  it("is read in under 40 seconds, at 200 words a minute", () => {
    const told = (["train", "group", "token", "done"] as const).map((id) => `${STOPS[id].title} ${STOPS[id].text}`).join(" ");
    expect((told.split(/\s+/).length / 200) * 60).toBeLessThan(40);
  });
});
