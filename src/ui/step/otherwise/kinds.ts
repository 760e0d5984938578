// One question in several ways: what would have come of the same rollouts under other settings? A registry; each kind has
// its title, what it needs of the step, and the part of the page that asks and shows it.
import type { ComponentType } from "react";
import type { StepGroups } from "../../../protocol/messages.ts";
import { lazyPart } from "../../kit/lazyPart.tsx";
import type { OtherwiseProps } from "../askedStep.ts";
import { AlgorithmStrips } from "./algorithms/AlgorithmStrips.tsx";
import { YouReward } from "./byHand/YouReward.tsx";

export interface OtherwiseKind {
  readonly id: string;
  readonly title: string;
  /** Of all groups of a step after its update. */
  readonly needsWhole?: true;
  /** Of the engine that has the run on screen: it alone keeps steps that can be scored again. */
  readonly needsOwnEngine?: true;
  /** Left out where it has nothing to say of a step. */
  readonly isFor?: (step: StepGroups) => boolean;
  /** What was set in it stays while it is closed. */
  readonly keepsState?: true;
  readonly Part: ComponentType<OtherwiseProps>;
}

/** Whether some answer of a step has the log-probs of the policy as it sampled and as it was trained. */
const tellsBoth = ({ groups }: StepGroups): boolean =>
  groups.some(({ trajectories }) =>
    trajectories.some(({ channels, isBare }) => !isBare && channels.oldLogprobs !== null && channels.trainLogprobs !== null),
  );

export const OTHERWISE = [
  {
    id: "recorded",
    title: "The advantages in the files, and those that the rewards give",
    needsWhole: true,
    Part: lazyPart(() => import("./recorded/CheckedAdvantages.tsx"), "CheckedAdvantages"),
  },
  {
    id: "mismatch",
    title: "Sampler and trainer, and what corrections would drop",
    needsWhole: true,
    isFor: tellsBoth,
    Part: lazyPart(() => import("./mismatch/MismatchPanel.tsx"), "MismatchPanel"),
  },
  { id: "algorithms", title: "The same rollouts under every algorithm", needsWhole: true, Part: AlgorithmStrips },
  {
    id: "rewards",
    title: "The same rollouts under other rewards",
    needsOwnEngine: true,
    Part: lazyPart(() => import("./rewards/RescorePanel.tsx"), "RescorePanel"),
  },
  { id: "by-hand", title: "You are the reward: another step, on a copy", keepsState: true, Part: YouReward },
] as const satisfies readonly OtherwiseKind[];

export type OtherwiseId = (typeof OTHERWISE)[number]["id"];

export function otherwiseKind(of: OtherwiseId): OtherwiseKind {
  return OTHERWISE.find(({ id }) => id === of)!;
}
