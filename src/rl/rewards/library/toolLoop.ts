// What going round in circles with a tool costs: calls that ask again what an earlier one asked.
import { integer, section } from "../../../protocol/config/field.ts";
import { z } from "../../../protocol/zod.ts";
import { defineLibraryRule } from "./libraryRule.ts";

/** -min(1, (repeated calls - free) / most), 0 while none is beyond the free ones; null where the environment counts no calls. */
export const toolLoop = defineLibraryRule({
  name: "toolLoop",
  title: "Tool loop",
  help: "Falls to -1 as the policy repeats calls that have been answered; not scored without tools.",
  weight: 1,
  needs: ["environment"],
  settingsSchema: z.strictObject(
    section("task", {
      free: integer(0, 100, 0, "Free repetitions", "Repeated calls that cost nothing."),
      most: integer(1, 100, 3, "Most repetitions", "Repeated calls beyond the free ones at which the penalty is -1."),
    }),
  ),
  score({ free, most }, _, { report }) {
    const repeated = report?.metrics.repeated_calls;
    if (repeated === undefined) return null;
    return repeated <= free ? 0 : -Math.min(1, (repeated - free) / most);
  },
  python: `
def tool_loop(judged, free, most):
    repeated = judged.figures.get("repeated_calls")
    if repeated is None:
        return None
    return 0.0 if repeated <= free else -min(1.0, (repeated - free) / most)
`,
});
