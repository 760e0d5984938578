// Rewards of games: whether it was won, and what its turns earned on the way.
import { defineReward } from "./rewardRule.ts";

/** What the game ended with: 1 for a won one, less for a draw, 0 for a lost or unfinished one. */
export const won = defineReward({
  name: "won",
  title: "Won",
  help: "1 when the game is won, 0.5 for a draw, else 0.",
  weight: 1,
  score: (_, __, { report }) => report?.metrics.won ?? 0,
});

/** Sum of what the turns earned. */
export const progress = defineReward({
  name: "progress",
  title: "Progress",
  help: "How far the game came: what all turns earned together, 1 for a won game.",
  weight: 0.5,
  score: (_, __, { report }) => (report?.turns ?? []).reduce((sum, { reward = 0 }) => sum + reward, 0),
  turns: (_, __, { report }) => (report?.turns ?? []).map(({ reward = 0 }) => reward),
});
