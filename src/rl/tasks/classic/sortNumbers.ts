// Put numbers in ascending order.

import { integer, section } from "../../../protocol/config/field.ts";
import { z } from "../../../protocol/zod.ts";
import { defineTextTask } from "./textTask.ts";

const optionsSchema = z.strictObject(
  section("task", {
    fewest: integer(2, 8, 3, "Fewest numbers", "Fewest numbers to sort."),
    most: integer(2, 8, 4, "Most numbers", "Most numbers to sort; a number below the fewest counts as that."),
    largest: integer(9, 9999, 99, "Largest number", "Numbers run from 0 to this; none comes twice."),
  }),
);

const ascending = (numbers: readonly number[]) => [...numbers].sort((a, b) => a - b);

export const sortNumbers = defineTextTask({
  id: "sort-numbers",
  title: "Sort numbers",
  summary: "Write numbers in ascending order.",
  optionsSchema,
  maxCompletionTokens: 48,
  checkpoint: "puzzles",
  draw({ fewest, most, largest }, random) {
    const count = fewest + random.below(Math.max(0, most - fewest) + 1);
    const numbers = new Set<number>();
    while (numbers.size < count) numbers.add(random.below(largest + 1));
    return { numbers: [...numbers] };
  },
  // The same numbers in another order are the same question.
  key: ({ numbers }) => ascending(numbers).join(" "),
  ask: ({ numbers }) => `Sort ${numbers.join(", ")}.`,
  solve: ({ numbers }) => ascending(numbers).join(", "),
  slip({ numbers }, random) {
    const order = ascending(numbers);
    const at = 1 + random.below(order.length - 1);
    [order[at - 1], order[at]] = [order[at]!, order[at - 1]!];
    return order.join(", ");
  },
});
