// What a kept step must look like where a file brings it: every field that a screen reads. Lists of one value for each
// token lie outside (groupFile.ts), and so do the texts of tokens.
import type { EnvReport, TurnView } from "../../../protocol/envReport.ts";
import { PHASES } from "../../../protocol/messages.ts";
import type { GroupSummary, MessageRecord } from "../../../protocol/records.ts";
import { z } from "../../../protocol/zod.ts";

const text = z.string();
const count = z.int().min(0);
const number = z.custom<number>((value) => typeof value === "number", "must be a number");
const numbers = z.array(number);

const message: z.ZodType<MessageRecord> = z.strictObject({
  role: z.enum(["system", "user", "assistant", "tool"]),
  content: text,
  agent: text.exactOptional(),
  toolCalls: z.array(z.strictObject({ name: text, arguments: z.record(text, z.unknown()), written: text.exactOptional() })).exactOptional(),
  toolCallProblems: z.array(text).exactOptional(),
});

const view: z.ZodType<TurnView> = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("board"), caption: text, rows: z.array(z.array(text)) }),
  z.strictObject({
    kind: z.literal("documents"),
    query: text,
    documents: z.array(z.strictObject({ text, score: number, matched: z.array(text) })),
  }),
  z.strictObject({ kind: z.literal("expert"), name: text, query: text, price: number }),
]);

const report: z.ZodType<EnvReport> = z.strictObject({
  stopReason: z.enum(["max-calls", "parse-error"]).exactOptional(),
  metrics: z.record(text, number),
  opening: z.array(view).exactOptional(),
  turns: z.array(
    z.strictObject({
      agent: text.exactOptional(),
      reward: number.exactOptional(),
      calls: z.array(z.strictObject({ name: text, given: text, result: text, failed: z.boolean() })).exactOptional(),
      views: z.array(view).exactOptional(),
    }),
  ),
});

const trajectory = z.strictObject({
  /** Only where it differs from the group's. */
  promptTokens: z.array(count).exactOptional(),
  length: count,
  /** Only where it is not its pieces in a row. */
  text: text.exactOptional(),
  stopReason: z.enum(["completed", "max-tokens", "max-turns", "max-calls", "max-context", "parse-error", "env-error"]).nullable(),
  opening: z.array(message).exactOptional(),
  failure: text.exactOptional(),
  messages: z.array(message),
  report: report.exactOptional(),
  rewardParts: z.array(
    z.strictObject({
      name: text,
      value: number.nullable(),
      reason: text.exactOptional(),
      weight: number.nullable(),
      turns: numbers.exactOptional(),
      judged: z
        .strictObject({ odds: z.record(text, number).exactOptional(), held: number.exactOptional(), said: text.exactOptional() })
        .exactOptional(),
    }),
  ),
  reward: number.nullable(),
  turnRewards: numbers.exactOptional(),
  advantage: number.nullable(),
  arithmetic: z
    .strictObject({ from: number, baseline: number, scale: number, fade: number, shift: number, spread: number })
    .exactOptional(),
  bootstrap: number.exactOptional(),
  minibatches: numbers.exactOptional(),
  success: z.boolean().nullable(),
  isBare: z.literal(true).exactOptional(),
  alternatives: z
    .strictObject({
      places: z.tuple([count, count]),
      rows: z.array(z.array(z.strictObject({ token: count, piece: text, before: number.nullable(), after: number.nullable() }))),
    })
    .exactOptional(),
});

const summary: z.ZodType<GroupSummary> = z.strictObject({
  step: count,
  promptIndex: count,
  prompt: text,
  meanReward: number,
  rewardStd: number,
  successRate: number,
  largestAdvantage: number,
});

/** A step without its lists of tokens. */
export const skeletonSchema = z.strictObject({
  phase: z.enum(PHASES),
  /** Of the settings those that may differ from the run's. */
  config: z.record(text, z.unknown()),
  summaries: z.array(summary),
  groups: z.array(
    z.strictObject({
      step: count,
      promptIndex: count,
      exampleId: text,
      messages: z.array(message),
      promptTokens: z.array(count),
      answer: text,
      zeroSpread: z.boolean(),
      trajectories: z.array(trajectory),
    }),
  ),
  /** Text of each token by its id. */
  pieces: z.record(text, text),
  /** The lists of values that follow, over all tokens of the step; the others that a step can have were not measured. */
  planes: z.array(z.strictObject({ name: text, kind: z.enum(["u8", "i32", "f32", "f64"]), near: text.nullable() })),
  /** Channels that are null. */
  unmeasured: z.array(text),
});
export type Skeleton = z.output<typeof skeletonSchema>;
