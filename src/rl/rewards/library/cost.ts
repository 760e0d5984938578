// What a conversation cost, where its environment has prices (Router-R1's cost, Zhang et al. 2025).
import { number, section } from "../../../protocol/config/field.ts";
import { z } from "../../../protocol/zod.ts";
import { defineLibraryRule } from "./libraryRule.ts";

/** Minus the cost in units of `unit`; null where the environment reports no cost. */
export const cost = defineLibraryRule({
  name: "cost",
  title: "Cost",
  help: "Minus what the conversation cost; not scored where nothing has a price.",
  weight: 0.1,
  needs: ["environment"],
  settingsSchema: z.strictObject(section("task", { unit: number(1e-6, 1e6, 1, "Unit", "The cost that counts as 1.") })),
  score({ unit }, _, { report }) {
    const paid = report?.metrics.cost;
    if (paid === undefined) return null;
    return paid === 0 ? 0 : -paid / unit;
  },
  // No prices are in exported conversations.
  python: "lambda judged, unit: None",
});
