// A run that is being prepared, to take the place of the one before.
import type { EventBodies, EventBody } from "../../protocol/messages.ts";
import { Overtaken } from "../../protocol/problems.ts";
import type { Clock } from "../host.ts";

/** A run on its way; a pause or resume meanwhile changes how it begins. */
export interface Preparation {
  readonly runId: string;
  isPaused: boolean;
  /** It was paused meanwhile, and with it the run before, where this comes to nothing. */
  isHalted: boolean;
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
  return { runId, isPaused, isHalted: false, wasGoing, giveUp, givenUp, begun: givenUp };
}

/** What a run that is prepared tells as long as it is wanted, and its pauses, in which it learns that it is not any more. */
export function signalsOf({ yield: letOthersIn }: Pick<Clock, "yield">, isWanted: () => boolean, send: (event: EventBody) => void) {
  return {
    isWanted,
    onPreparing: (what: string, done: number, total: number) => {
      if (isWanted()) send({ type: "preparing", what, done, total });
    },
    onNotice: (notice: EventBodies["notice"]) => send({ type: "notice", ...notice }),
    pause: async () => {
      await letOthersIn();
      if (!isWanted()) throw new Overtaken(GIVEN_UP);
    },
  };
}
