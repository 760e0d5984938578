// The words of the field as types, in three layers: messages (the chat protocol), RL (environments
// and trajectories) and tokens. They meet only in the Renderer.

import type { NamedJudge } from "../protocol/custom/judges.ts";
import type { EnvReport, RewardPartRecord, StopReason } from "../protocol/records.ts";
import type { SandboxInput, SandboxJob } from "./sandbox/jobs.ts";

// --- messages

/** Who speaks in a message. */
export type Role = "system" | "user" | "assistant" | "tool";

/** A call of a tool, as the policy made it. */
export interface ToolCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  /** Its arguments as they were written, where their values do not say it: 1.0, or keys in an order that objects do not keep. */
  readonly written?: string;
}

/** A tool as the policy is told of it. */
export interface ToolSpec {
  readonly name: string;
  readonly description: string;
  /** JSON schema of the arguments. */
  readonly parameters: Readonly<Record<string, unknown>>;
}

/** One message of a conversation. */
export interface Message {
  readonly role: Role;
  readonly content: string;
  /** Who spoke, where several agents share a conversation. */
  readonly agent?: string;
  readonly toolCalls?: readonly ToolCall[];
  /** What is wrong with calls that could not be read, a sentence each; their text stays in the content. */
  readonly toolCallProblems?: readonly string[];
  readonly toolCallId?: string;
  /** Marks around a tool's result; <tool_response> where left out. */
  readonly resultMark?: "information";
}

// --- RL

/** A problem: the conversation that opens it and what is needed to judge an answer. */
export interface Example {
  readonly id: string;
  readonly messages: readonly Message[];
  /** The gold answer, in the task's own notation. */
  readonly answer: string;
}

/** What the policy sees before it acts: the whole conversation so far. */
export interface State {
  readonly messages: readonly Message[];
  /** Tools on offer, announced as the conversation opens; later states may leave them out. */
  readonly tools?: readonly ToolSpec[];
  /** Who speaks next, where several agents share a conversation. */
  readonly agent?: string;
}

/** What the policy did: one assistant message. */
export interface Action {
  readonly message: Message;
}

/** A single-use environment: one conversation about one example. */
export interface Env {
  start(): State;
  /** The next state, or null when the conversation is over. Its messages go on from the state before and the action. */
  step(action: Action): State | null;
  /** What it has to tell of the conversation so far; asked when that is over. */
  report?(): EnvReport;
}

/** What could not be done for one conversation, and why; the others go on. */
export interface Failure {
  readonly reason: string;
}

/** What comes of a turn: the next state, null at the end of the conversation, or why there is none. */
export type Stepped = State | null | Failure;

/** Makes a fresh environment for each conversation. */
export interface EnvBuilder {
  /** A fresh environment. @param seed a whole number below 2^32: all the chance it may use. */
  build(example: Example, seed: number): Env;
  /** In place of `build`, where environments are built elsewhere: all of a call at once. */
  buildEnvs?(openings: readonly { readonly example: Example; readonly seed: number }[]): Promise<readonly Env[]>;
  /** In place of `Env.step`: all live environments of a turn at once. */
  stepEnvs?(turns: readonly { readonly env: Env; readonly action: Action }[]): Promise<readonly Stepped[]>;
}

/** One finished conversation. `tokens` and `mask` cover all that follows the prompt and end with a sampled token. */
export interface Trajectory {
  readonly promptTokens: readonly number[];
  readonly tokens: readonly number[];
  /** 1 for tokens the policy sampled, 0 for context inserted between them. */
  readonly mask: readonly number[];
  /** Log-probability of each sampled token as it was sampled (nats, at the sampling temperature). */
  readonly logprobs: readonly number[];
  /** Entropy of the distribution each sampled token was drawn from (nats). */
  readonly entropies: readonly number[] | null;
  readonly messages: readonly Message[];
  readonly stopReason: StopReason;
  /** Only where the environment reports. */
  readonly report?: EnvReport;
  /** What went wrong in the environment, where that ended the conversation. */
  readonly failure?: string;
}

/** The weighted verdict on a trajectory; `total` is null when no part could score. */
export interface Reward {
  readonly total: number | null;
  readonly parts: readonly RewardPartRecord[];
  readonly success: boolean;
  /** What of the total each turn earned by itself, where parts say so; the rest is the whole conversation's. */
  readonly turns?: readonly number[];
}

/** G trajectories of one problem. */
export interface TrajectoryGroup {
  readonly example: Example;
  readonly trajectories: readonly Trajectory[];
}

/** A finished conversation that is to be scored. */
export interface Rollout {
  readonly example: Example;
  readonly trajectory: Trajectory;
}

/** The soft limit of a turn's tokens; no punishment where the buffer is 0. */
export interface LengthLimit {
  readonly maxCompletionTokens: number;
  readonly overlongBuffer: number;
}

/** Scores finished conversations by all parts of the reward. */
export interface RewardModel {
  /** The verdicts on finished conversations, in order; at once where every part is a plain rule. Nothing that a part does makes it fail. */
  scoreBatch(rollouts: readonly Rollout[], limit: LengthLimit): readonly Reward[] | Promise<readonly Reward[]>;
  /** The rewards that a step learns from, for whole groups once they are scored; left out where the scores are the rewards. */
  transform?(groups: readonly TrajectoryGroup[], rewards_P_G: readonly (readonly Reward[])[]): Promise<readonly (readonly Reward[])[]>;
}

/** A part's verdict: null where it cannot judge, a reason where it failed. */
export type PartVerdict = number | null | Failure;

/** What a part of a reward is called. */
export interface NamedPart {
  readonly name: string;
  readonly title: string;
  readonly help: string;
  /** By default; 0 makes it a metric only. */
  readonly weight: number;
  /** It pays for right answers, wholly or in part: where no such part is paid, accuracy is no measure of a run. */
  readonly paysAnswers?: true;
}

/** A part that judges many conversations at once, perhaps elsewhere and later: one verdict for each, in order. */
export interface BatchPart extends NamedPart {
  scoreBatch(rollouts: readonly Rollout[]): readonly PartVerdict[] | Promise<readonly PartVerdict[]>;
}

/** A part whose verdicts are found in a sandbox alone. */
export interface SandboxedPart extends NamedPart {
  readonly sandboxed: SandboxedRule;
}

/** A part whose verdicts a second model gives. */
export interface JudgedPart extends NamedPart {
  readonly judged: NamedJudge;
}

/** A named part of a reward. */
export type RewardPart = RulePart | BatchPart | SandboxedPart | JudgedPart;

/** What a sandbox is asked about a conversation. */
export interface SandboxedRule {
  readonly job: SandboxJob;
  input(rollout: Rollout): SandboxInput;
}

/** A pure named scoring rule. Returns null where it cannot judge ("unscorable is not zero"). */
export interface RulePart extends NamedPart {
  /** The same in a sandbox, where the rule may take for ever. */
  readonly sandboxed?: SandboxedRule;
  score(example: Example, trajectory: Trajectory): number | null;
  /**
   * What of the score each turn of the policy earned by itself, in order; the rest is the whole conversation's. Null
   * where it cannot say.
   */
  turns?(example: Example, trajectory: Trajectory): readonly number[] | null;
}

/** An endless stream of training problems, whose place can be kept and set. */
export interface DataLoader {
  /** The next `count` training problems; endless and seeded. */
  next(count: number): readonly Example[];
  /** Position in the stream, so that a saved run continues where it was. */
  state(): number;
  restore(state: number): void;
}

// --- tokens

/** The only bridge between messages and tokens. */
export interface Renderer {
  readonly vocabularySize: number;
  /** Ids that end a completion. */
  readonly stopTokens: readonly number[];
  /** Ids that open a conversation, up to and including the mark that opens the assistant's turn. */
  renderPrompt(state: State): readonly number[];
  /**
   * Ids that follow a sampled turn, up to and including the mark that opens the next one: what is left of
   * closing the turn, then the messages that came on top. Nothing that stands is rendered again.
   */
  renderTurn(sampled: readonly number[], messages: readonly Message[]): readonly number[];
  /** Completion ids of an assistant message as a policy would sample it, stop token included. */
  renderCompletion(message: Message): readonly number[];
  /** The assistant message that a turn's sampled ids spell, tool calls read; never fails. */
  parse(tokens: readonly number[]): Message;
  /** Text of one token as shown to people (marks included, bytes that are not text as \xNN). */
  piece(token: number): string;
  /** Text of a whole token sequence, marks included. */
  decode(tokens: readonly number[]): string;
  /** Why no tools can be offered; left out where they can. */
  readonly lacksTools?: string;
}
