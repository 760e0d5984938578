// A mistyped name is answered by the one that was probably meant, never by a far one.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { nearestName } from "../../src/protocol/nearestName.ts";
import { unknownName } from "../../src/protocol/problems.ts";
import { catalog } from "../../src/train/catalog.ts";

const tasks = catalog.tasks.map(({ id }) => id);
const fields = catalog.fields.map(({ key }) => key);

describe("the nearest name", () => {
  it.each([
    ["digit-sun", tasks, "digit-sum"],
    ["digitsum", tasks, "digit-sum"],
    ["Digit_Sum", tasks, "digit-sum"],
    ["boxed", tasks, "boxed-arithmetic"],
    ["grupSize", fields, "groupSize"],
    ["leraningRate", fields, "learningRate"],
    ["learning_rate", fields, "learningRate"],
    ["chess", tasks, null],
    ["", tasks, null],
    ["x", fields, null],
  ])("to %j is the one meant", (given, known, meant) => {
    expect(nearestName(given, known)).toBe(meant);
  });

  it("is found whichever letter is missing, doubled or swapped with the next", () => {
    const name = fc.constantFrom(...fields.filter(({ length }) => length > 5));
    fc.assert(
      fc.property(name, fc.nat(), fc.constantFrom("missing", "doubled", "swapped"), (field, seed, slip) => {
        const at = seed % (field.length - 1);
        const letters = [...field];
        if (slip === "missing") letters.splice(at, 1);
        else if (slip === "doubled") letters.splice(at, 0, letters[at]!);
        else [letters[at], letters[at + 1]] = [letters[at + 1]!, letters[at]!];
        expect(nearestName(letters.join(""), fields)).toBe(field);
      }),
    );
  });

  it("of a text as long as a page is none", () => {
    expect(nearestName("digit-sum".repeat(1000), tasks)).toBeNull();
  });
});

describe("the sentence about an unknown name", () => {
  it("lists a few, gives the nearest of many, and begins a list where none is near", () => {
    expect(unknownName("place", "bax", ["box", "tag"])).toBe('place must be one of "box", "tag", got "bax" (did you mean "box"?)');
    expect(unknownName("task", "digit-sun", tasks)).toBe(
      `task must be one of the ${tasks.length} known ones, got "digit-sun" (did you mean "digit-sum"?)`,
    );
    expect(unknownName("task", "chess", tasks)).toMatch(/^task must be one of "digit-sum", .+ or \d+ others, got "chess"$/);
  });
});
