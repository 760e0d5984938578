// Say again what was said: names that nobody has heard, so that nothing but copying them helps. It is the
// plainest use of attention, and whoever searches or reads builds on it.

import { integer, section } from "../../../protocol/config/field.ts";
import { z } from "../../../protocol/zod.ts";
import { makeNames } from "../../data/names.ts";
import { defineTextTask } from "./textTask.ts";

const optionsSchema = z.strictObject(
  section("task", {
    fewest: integer(1, 8, 2, "Fewest names", "Fewest names to repeat."),
    most: integer(1, 8, 5, "Most names", "Most names to repeat; a number below the fewest counts as that."),
  }),
);

export const repeatNames = defineTextTask({
  id: "repeat-names",
  title: "Repeat names",
  summary: "Say made-up names again, in their order.",
  optionsSchema,
  maxCompletionTokens: 40,
  checkpoint: "reading",
  draw: ({ fewest, most }, random) => ({ names: makeNames(fewest + random.below(Math.max(0, most - fewest) + 1), random) }),
  ask: ({ names }) => `Repeat ${names.join(", ")}.`,
  solve: ({ names }) => names.join(", "),
  /** One name comes twice, or not at all. */
  slip({ names }, random) {
    const said = [...names];
    const at = random.below(said.length);
    const twice = random.below(2) === 0 || said.length === 1;
    said.splice(at, 1, ...(twice ? [said[at]!, said[at]!] : []));
    return said.join(", ");
  },
});
