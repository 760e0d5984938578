// A mistyped name is answered by the one that was probably meant, never by a far one.
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

  it("is found whichever letter of any name is missing, doubled or swapped with the next", () => {
    const slipsAt = (field: string, at: number) => [
      field.slice(0, at) + field.slice(at + 1),
      field.slice(0, at + 1) + field.slice(at),
      field.slice(0, at) + field.charAt(at + 1) + field.charAt(at) + field.slice(at + 2),
    ];
    const missed = fields
      .filter(({ length }) => length > 5)
      .flatMap((field) =>
        Array.from({ length: field.length - 1 }, (_, at) => slipsAt(field, at))
          .flat()
          .map((slip) => ({ field, slip })),
      )
      .filter(({ field, slip }) => nearestName(slip, fields) !== field);
    expect(missed).toEqual([]);
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
