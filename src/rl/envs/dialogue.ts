// The frame of an environment that talks back: it keeps the conversation, the turns' reports and the
// order of start and step, so that an environment is no more than its answer to a message.
import type { EnvReport, TurnReport, TurnView } from "../../protocol/records.ts";
import type { Env, EnvBuilder, Example, Message, State } from "../types.ts";

/** What an environment makes of a message. */
export interface Reply {
  /** What it says before the next turn; null ends the conversation. */
  readonly messages: readonly Message[] | null;
  /** Who speaks next, where several agents share the conversation. */
  readonly agent?: string;
  /** Only at the end, where the conversation is not complete. */
  readonly stopReason?: NonNullable<EnvReport["stopReason"]>;
  readonly turn?: TurnReport;
}

/** What an environment of several turns says: its opening, and what follows each message. */
export interface Dialogue {
  readonly opening: State;
  /** What people are shown before the first turn. */
  readonly views?: readonly TurnView[];
  respond(message: Message): Reply;
  /** Figures of the conversation so far; the number of turns is counted here. */
  metrics?(): Readonly<Record<string, number>>;
}

/** Keeps what a dialogue says and reports; single use. */
export function dialogueEnv({ opening, views, respond, metrics }: Dialogue): Env {
  let phase: "new" | "open" | "over" = "new";
  let state = opening;
  let stopReason: EnvReport["stopReason"];
  const turns: TurnReport[] = [];
  return {
    start() {
      if (phase !== "new") throw new Error("internal: an environment starts once");
      phase = "open";
      return opening;
    },
    step({ message }) {
      if (phase !== "open") throw new Error(`internal: step on an environment that is ${phase}`);
      const reply = respond(message);
      turns.push({ ...(state.agent === undefined ? {} : { agent: state.agent }), ...reply.turn });
      if (reply.messages === null) {
        phase = "over";
        stopReason = reply.stopReason;
        return null;
      }
      const messages = [...state.messages, message, ...reply.messages];
      state = { messages, ...(reply.agent === undefined ? {} : { agent: reply.agent }) };
      return state;
    },
    report: () => ({
      ...(stopReason ? { stopReason } : {}),
      metrics: { turns: turns.length, ...metrics?.() },
      ...(views ? { opening: views } : {}),
      turns: [...turns],
    }),
  };
}

/** An environment that shows the example's messages and ends after one action. Single use. */
export function singleTurn(example: Example): Env {
  let phase: "new" | "open" | "over" = "new";
  return {
    start() {
      if (phase !== "new") throw new Error("internal: an environment starts once");
      phase = "open";
      return { messages: example.messages };
    },
    step() {
      if (phase !== "open") throw new Error(`internal: step on an environment that is ${phase}`);
      phase = "over";
      return null;
    },
  };
}

export const singleTurnEnvs: EnvBuilder = { build: (example) => singleTurn(example) };
