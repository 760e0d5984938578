import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { PHASES, type RunState } from "../../../../src/protocol/messages.ts";
import { filled, stripState } from "../../../../src/ui/train/phases/stripState.ts";

const at = (phase: (typeof PHASES)[number], done: number, total: number) => ({ step: 3, phase, done, total });

describe("the strip of phases", () => {
  it("has everything before the phase it names filled, and nothing after it", () => {
    const states = fc.constantFrom<RunState>("idle", "preparing", "running", "paused", "finished", "failed");
    fc.assert(
      fc.property(
        states,
        fc.constantFrom(...PHASES),
        fc.nat(9),
        fc.constantFrom(0, 300),
        fc.constantFrom(null, 0.001, 2),
        (state, phase, done, delay, seconds) => {
          const strip = stripState({ state, phase: at(phase, done, 9) }, delay, seconds);
          const shares = PHASES.map((each) => filled(each, strip));
          if (strip.at === "all") expect(shares).toEqual(PHASES.map(() => 1));
          else if (strip.at === "none") expect(shares).toEqual(PHASES.map(() => 0));
          else {
            const here = PHASES.indexOf(strip.at);
            expect(shares).toEqual(PHASES.map((_, i) => (i < here ? 1 : i > here ? 0 : done / 9)));
          }
        },
      ),
    );
  });

  it("names no phase where steps pass faster than they can be read, and one again when they are slowed or stand", () => {
    const phase = at("score", 1, 1);
    expect(stripState({ state: "running", phase }, 0, 0.001)).toEqual({ at: "all" });
    expect(stripState({ state: "running", phase }, 300, 0.001)).toEqual({ at: "score", share: 1 });
    expect(stripState({ state: "running", phase }, 0, 1.5)).toEqual({ at: "score", share: 1 });
    expect(stripState({ state: "paused", phase }, 0, 0.001)).toEqual({ at: "score", share: 1 });
  });

  it("stays as it was when the run is over", () => {
    expect(stripState({ state: "finished", phase: at("update", 1, 1) }, 0, 0.001)).toEqual({ at: "all" });
  });
});
