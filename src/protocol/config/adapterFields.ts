// Fields of LoRA (Hu et al. 2021): what is trained in the place of all weights.
import { choice, flag, integer, number, section } from "./field.ts";
import { ON_SERVER } from "./noEffect.ts";

const TABLE = { when: { model: "tabular" }, why: "a table has no projections" } as const;
const ofAdapters = { advanced: true, fixed: true, noEffect: [TABLE, { when: { loraRank: 0 }, why: "all weights are trained" }] } as const;

/** The API does not ask for these. */
const ofServersChoice = { ...ofAdapters, noEffect: [...ofAdapters.noEffect, ON_SERVER] } as const;

/** Whether adapters are trained, and which. */
export const adapterFields = section("model", {
  loraRank: integer(
    0,
    256,
    0,
    "LoRA rank",
    "Freeze the weights and train two matrices of this rank beside each projection; 0 trains all weights.",
    { fixed: true, noEffect: [TABLE] },
  ),
  loraAlpha: number(
    0.01,
    1024,
    32,
    "LoRA alpha",
    "The output of adapters is multiplied by alpha / rank, or by alpha / √rank when rank-stabilized.",
    ofServersChoice,
  ),
  loraTargets: choice(
    ["all-linear", "attention", "feed-forward", "query-value"],
    "all-linear",
    "LoRA targets",
    "Which projections of each layer have adapters. A server knows attention and feed-forward alone: queries and values are its attention.",
    { ...ofAdapters, titles: { "all-linear": "All seven", "query-value": "Queries and values" } },
  ),
  loraRankStabilized: flag(false, "Rank-stabilized LoRA", "Divide alpha by √rank.", ofServersChoice),
});
