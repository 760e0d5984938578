// Games in text: the policy says a move, the environment plays it and says how things stand. What a game
// is made of is a state and one function; the frame here reads turns, pays for progress and draws boards.
import type { TurnView } from "../../protocol/records.ts";
import type { Env, Example } from "../types.ts";
import { dialogueEnv } from "./dialogue.ts";

/** How things stand after a move. */
interface Transition<State> {
  readonly state: State;
  /** What the policy reads before its next move; null when the game is over. */
  readonly observation: string | null;
}

export interface Game<State> {
  readonly opening: State;
  /** How the game stands after the move; null where the text is no move at all. Must take any text. */
  play(state: State, move: string): Transition<State> | null;
  /** 1 where it is won, less for another end, 0 while it goes on. */
  score(state: State): number;
  /** How far the game has come, 0 at the opening and 1 where it is won; its growth is what a turn earns. */
  progress(state: State): number;
  draw(state: State): TurnView;
}

/**
 * A fresh game. A text that is no move ends it with a parse error; what a turn earns is the progress it
 * made, so that all turns of a won game earn 1 together (potential-based shaping, Ng et al. 1999).
 */
export function gameEnv<State>(example: Example, game: Game<State>): Env {
  let { opening: state } = game;
  return dialogueEnv({
    opening: { messages: example.messages },
    views: [game.draw(state)],
    respond({ content }) {
      const after = game.play(state, content.trim());
      if (!after) return { messages: null, stopReason: "parse-error", turn: { reward: 0, views: [game.draw(state)] } };
      const reward = game.progress(after.state) - game.progress(state);
      state = after.state;
      const turn = { reward, views: [game.draw(state)] };
      return { messages: after.observation === null ? null : [{ role: "user", content: after.observation }], turn };
    },
    metrics: () => ({ won: game.score(state) }),
  });
}
