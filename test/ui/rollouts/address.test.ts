import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { queryOf, selectionFrom } from "../../../src/ui/rollouts/address.ts";

describe("the address of the Rollouts screen", () => {
  it("comes back from its own query for every selection", () => {
    const index = fc.nat({ max: 100_000 });
    fc.assert(
      fc.property(
        fc.record({ step: fc.option(index), promptIndex: index, trajectoryIndex: index, tokenIndex: fc.option(index) }),
        (selection) => {
          expect(selectionFrom(queryOf(selection))).toEqual(selection);
        },
      ),
    );
  });

  it("names what a link names and follows the newest step without one", () => {
    expect(selectionFrom(new URLSearchParams("step=12&prompt=2&completion=4&token=6"))).toEqual({
      step: 12,
      promptIndex: 1,
      trajectoryIndex: 3,
      tokenIndex: 5,
    });
    expect(selectionFrom(new URLSearchParams(""))).toEqual({ step: null, promptIndex: 0, trajectoryIndex: 0, tokenIndex: null });
  });

  it.each(["step=-1", "step=abc", "step=1.5", "step=1e9", "token=", "token=0", "prompt=0", "prompt=99999999999"])(
    "leaves out the unreadable %s",
    (text) => {
      expect(queryOf(selectionFrom(new URLSearchParams(text))).toString()).toBe("");
    },
  );
});
