// Models that are known to compute here, with what is worth knowing before one is asked for.

import { bytesText } from "../../../protocol/memory.ts";

export interface SuggestedModel {
  readonly repository: string;
  readonly title: string;
  /** Millions of weights. */
  readonly millions: number;
  /** Bytes to bring. */
  readonly bytes: number;
  readonly licence: string;
  /** Tokens. */
  readonly context: number;
  readonly goodFor: string;
}

export const SUGGESTED: readonly SuggestedModel[] = [
  {
    repository: "HuggingFaceTB/SmolLM2-135M-Instruct",
    title: "SmolLM2 135M",
    millions: 134.5,
    bytes: 271e6,
    licence: "apache-2.0",
    context: 8192,
    goodFor: "The fastest: a step takes seconds on a processor. Good for style and short answers; most sums are too hard for it.",
  },
  {
    repository: "HuggingFaceTB/SmolLM2-360M-Instruct",
    title: "SmolLM2 360M",
    millions: 361.8,
    bytes: 726e6,
    licence: "apache-2.0",
    context: 8192,
    goodFor: "Follows instructions more often, at about a third of the speed.",
  },
  {
    repository: "Qwen/Qwen2.5-0.5B-Instruct",
    title: "Qwen2.5 0.5B",
    millions: 494,
    bytes: 995e6,
    licence: "apache-2.0",
    context: 32_768,
    goodFor: "Small sums and formats. Its vocabulary of 152 thousand tokens makes each step slower.",
  },
  {
    repository: "Qwen/Qwen3-0.6B",
    title: "Qwen3 0.6B",
    millions: 596,
    bytes: 1.515e9,
    licence: "apache-2.0",
    context: 40_960,
    goodFor: "Reasons in words before it answers, so completions are long.",
  },
];

/** What is to be downloaded for SmolLM2, as a sentence says it. */
export function smollm2Size(): string {
  return bytesText(SUGGESTED[0]?.bytes ?? 0, 1000);
}
