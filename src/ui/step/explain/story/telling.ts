// Where the Explain screen opens: at the token that the update moved most. Where the change was not measured, by
// what its push makes of its own logit, push · (1 − p): a token that was certain cannot rise, however hard it is pushed.
import type { StepGroups } from "../../../../protocol/messages.ts";
import { type TokenFacts, tokenFacts } from "../../tokens/tokenFacts.ts";
import { reachedPhase } from "./story.ts";

export interface Place {
  readonly promptIndex: number;
  readonly trajectoryIndex: number;
  readonly tokenIndex: number;
}

/** How far an update moved a token that its advantage pushes, as far as its records tell; 0 for any other. */
function movementOf({ trained, advantage, oldLogprob, newLogprob, lossWeight }: TokenFacts): number {
  if (!trained || oldLogprob === null) return 0;
  // What others moved along is not what an update is told by.
  if (advantage === 0) return 0;
  if (newLogprob !== null) return Math.abs(newLogprob - oldLogprob);
  return Math.abs(lossWeight ?? 0) * -Math.expm1(oldLogprob);
}

/** The token that moved most, of all of a step or of one of its completions; the first that the policy said where none did. */
export function tellingPlace(step: StepGroups, within: Partial<Place> = {}): Place {
  let place: Place | null = null;
  let most = -1;
  for (const { promptIndex, trajectories } of step.groups) {
    if (promptIndex !== (within.promptIndex ?? promptIndex)) continue;
    for (const [trajectoryIndex, trajectory] of trajectories.entries()) {
      if (trajectory.isBare || trajectoryIndex !== (within.trajectoryIndex ?? trajectoryIndex)) continue;
      for (const facts of tokenFacts(trajectory, step.config, reachedPhase(step))) {
        const movement = movementOf(facts);
        if (!facts.sampled || movement <= most) continue;
        most = movement;
        place = { promptIndex, trajectoryIndex, tokenIndex: facts.index };
      }
    }
  }
  return place ?? { promptIndex: 0, trajectoryIndex: 0, tokenIndex: 0, ...within };
}
