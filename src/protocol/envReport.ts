// What an environment tells of a conversation when it is over, as plain data: figures and rewards for the
// trainer, calls and pictures for people. With it nobody has to run the environment a second time.

/** One call of a tool, and what came of it. */
export interface CallReport {
  /** Empty where the call could not be read. */
  readonly name: string;
  /** The arguments as JSON text; empty where the call could not be read. */
  readonly given: string;
  readonly result: string;
  readonly failed: boolean;
}

/** A document that a search returned. */
export interface FoundDocument {
  readonly text: string;
  readonly score: number;
  /** Its words that the query has too, in lower case. */
  readonly matched: readonly string[];
}

/** What people are shown beside a turn. */
export type TurnView =
  | { readonly kind: "board"; readonly caption: string; readonly rows: readonly (readonly string[])[] }
  | { readonly kind: "documents"; readonly query: string; readonly documents: readonly FoundDocument[] }
  | { readonly kind: "expert"; readonly name: string; readonly query: string; readonly price: number };

/** One turn of the policy, and what the environment made of it. */
export interface TurnReport {
  /** Who spoke, where several agents share a conversation. */
  readonly agent?: string;
  /** What this turn alone earned, where the environment says so. */
  readonly reward?: number;
  readonly calls?: readonly CallReport[];
  /** As things stand after the turn. */
  readonly views?: readonly TurnView[];
}

/** What an environment tells of a conversation that is over: figures, and each turn of the policy. */
export interface EnvReport {
  /** Why the environment ended the conversation, where that was not because it was complete. */
  readonly stopReason?: "max-calls" | "parse-error";
  /** Figures of the whole conversation by name. */
  readonly metrics: Readonly<Record<string, number>>;
  /** What people are shown before the first turn. */
  readonly opening?: readonly TurnView[];
  /** One for each turn of the policy, in order. */
  readonly turns: readonly TurnReport[];
}
