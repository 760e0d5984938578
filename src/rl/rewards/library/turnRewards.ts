// A process reward: what the turns of a conversation earned by themselves, as the environment says it.
import { choice, section } from "../../../protocol/config/field.ts";
import { z } from "../../../protocol/zod.ts";
import { defineLibraryRule } from "./libraryRule.ts";

/** Sum, mean, least or last of the turns' rewards; turns that have none are left out, null where none has. */
export const turnRewards = defineLibraryRule({
  name: "turnRewards",
  title: "Rewards of turns",
  help: "What the single turns earned, taken together; not scored where the environment rewards no turn.",
  weight: 1,
  needs: ["environment"],
  settingsSchema: z.strictObject(
    section("task", {
      together: choice(["sum", "mean", "least", "last"], "sum", "Together", "How the turns' rewards become one number."),
    }),
  ),
  score({ together }, _, { report }) {
    const rewards = (report?.turns ?? []).flatMap(({ reward }) => (reward === undefined ? [] : [reward]));
    if (rewards.length === 0) return null;
    if (together === "least") return Math.min(...rewards);
    if (together === "last") return rewards.at(-1)!;
    const sum = rewards.reduce((total, reward) => total + reward, 0);
    return together === "sum" ? sum : sum / rewards.length;
  },
  // The least and the last are a verdict on all turns.
  turns({ together }, _, { report }) {
    const turns = report?.turns ?? [];
    const share = together === "mean" ? turns.filter(({ reward }) => reward !== undefined).length : 1;
    return together === "sum" || together === "mean" ? turns.map(({ reward = 0 }) => reward / share) : null;
  },
  // No rewards of single turns are in exported conversations.
  python: "lambda judged, together: None",
  pythonWithoutTools: true,
});
