// Fields of a run whose model is on a server: who makes its gradient, and where its reference comes from.
import { choice, section } from "./field.ts";
import { type NoEffect, SUPERVISED } from "./noEffect.ts";

const ELSEWHERE_ONLY: NoEffect = { when: { backend: { not: "tinker" } }, why: "the model is not on a server" };

export const serverFields = section("engine", {
  serverLoss: choice(
    ["own", "server"],
    "own",
    "Loss on the server",
    "What computes the gradient of a run on a server: the objective here, in two passes, or the server's own loss, in one pass, if its formula is the same. The lab checks that before each step.",
    {
      advanced: true,
      noEffect: [ELSEWHERE_ONLY, SUPERVISED],
      titles: { own: "The objective here", server: "The server's, in one pass" },
    },
  ),
  serverReference: choice(
    ["model", "prompt"],
    "model",
    "Reference on the server",
    "Where the log-probs of the reference (the base model) come from: a second set of adapters that is never trained, or the base model's log-probs of a prompt, which not every server gives. Without a KL weight there is no reference.",
    {
      advanced: true,
      fixed: true,
      noEffect: [ELSEWHERE_ONLY, { when: { klCoef: 0 }, why: "the KL weight is 0, so there is no reference" }],
      titles: { model: "A second model", prompt: "Log-probs of a prompt" },
    },
  ),
});
