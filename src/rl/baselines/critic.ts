// The values of a critic, token by token (Schulman et al. 2017, PPO, arXiv 1707.06347): generalised advantage estimation.
import { baseline } from "./baseline.ts";

export const critic = baseline({
  id: "critic",
  from: "critic",
  tex: "V_t",
  words: { one: "what the critic predicted", many: "what the critic predicted" },
});
