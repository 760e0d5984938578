import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decode } from "../../../src/ui/engine/address/params.ts";
import { EXPERIMENT, placeIn, placeQuery, settingsIn } from "../../../src/ui/engine/route.ts";
import { selectionText } from "../../../src/ui/engine/store/selection.ts";

describe("the address of the Rollouts screen", () => {
  it("comes back from its own query for every selection", () => {
    const index = fc.nat({ max: 100_000 });
    fc.assert(
      fc.property(
        fc.record({ step: fc.option(index), promptIndex: index, trajectoryIndex: index, tokenIndex: fc.option(index) }),
        (selection) => {
          expect(placeIn("rollouts", placeQuery("rollouts", selection))).toEqual(selection);
        },
      ),
    );
  });

  it("names what a link names and follows the newest step without one", () => {
    expect(placeIn("rollouts", new URLSearchParams("step=12&prompt=2&completion=4&token=6"))).toEqual({
      step: 12,
      promptIndex: 1,
      trajectoryIndex: 3,
      tokenIndex: 5,
    });
    expect(placeIn("rollouts", new URLSearchParams(""))).toEqual({ step: null, promptIndex: 0, trajectoryIndex: 0, tokenIndex: null });
  });

  it.each(["step=-1", "step=abc", "step=1.5", "step=1e9", "token=", "token=0", "prompt=0", "prompt=99999999999"])(
    "leaves out the unreadable %s",
    (text) => {
      expect(placeQuery("rollouts", placeIn("rollouts", new URLSearchParams(text))).toString()).toBe("");
    },
  );

  it("keeps the settings of a link and the place that it names apart", () => {
    const settings = new URLSearchParams("version=3&preset=digit-sum-table&steps=20&task.length=3");
    const selection = { step: 12, promptIndex: 1, trajectoryIndex: 3, tokenIndex: null };
    const link = placeQuery("rollouts", selection, settings);
    expect(link.toString()).toBe("version=3&preset=digit-sum-table&steps=20&task.length=3&step=12&prompt=2&completion=4");
    expect(settingsIn(link).toString()).toBe(settings.toString());
    expect(placeIn("rollouts", link)).toEqual(selection);
  });

  it("names its place in words, unless it follows the newest step", () => {
    expect(selectionText(placeIn("rollouts", new URLSearchParams("step=12&prompt=2&completion=4&token=6")))).toBe(
      "step 12, prompt 2, completion 4, token 6",
    );
    expect(selectionText(placeIn("rollouts", new URLSearchParams("step=1")))).toBe("step 1, prompt 1, completion 1");
    expect(selectionText(placeIn("rollouts", new URLSearchParams("")))).toBeNull();
  });
});

describe("a value that breaks its rule", () => {
  it("is told in a sentence, and what has no rule is as if nothing were said", () => {
    const refused: string[] = [];
    const place = decode(EXPERIMENT, new URLSearchParams("seeds=0&axis=hours&target=half&fork=soon&id=&over=a:1&over=b"), refused);
    expect(place).toMatchObject({ seeds: null, axis: "steps", target: null, fork: null, id: "", over: ["a:1", "b"] });
    expect(refused).toEqual([
      'fork must be a step or "last", got "soon"',
      'seeds must be a whole number from 1 to 10, got "0"',
      'axis must be one of "steps", "tokens", "updates", got "hours"',
      'target must be a number from 0 to 1, got "half"',
    ]);
  });
});
