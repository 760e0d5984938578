// A run on its way to begin: what was asked of it meanwhile, and who waits for it.
import { Overtaken } from "../../protocol/problems.ts";

/** A run on its way; a pause or resume meanwhile changes how it begins. */
export interface Preparation {
  readonly runId: string;
  isPaused: boolean;
  /** Whether the run before was going when its place was asked for; it then goes on where this comes to nothing. */
  readonly wasGoing: boolean;
  readonly giveUp: () => void;
  readonly givenUp: Promise<never>;
  /** Resolves when the run has begun; rejects with why it has not. */
  begun: Promise<void>;
}

export const GIVEN_UP = "the run was given up before it began: it was stopped, reset or overtaken by another start";

export function newPreparation(runId: string, isPaused: boolean, wasGoing: boolean): Preparation {
  let giveUp = () => {};
  const givenUp = new Promise<never>((_, reject) => {
    giveUp = () => reject(new Overtaken(GIVEN_UP));
  });
  return { runId, isPaused, wasGoing, giveUp, givenUp, begun: givenUp };
}
