// The rollouts of a step as a file brings them, without the lists of one value for each token, which lie behind it (groupFile.ts).
import { PHASES } from "../../../protocol/messages.ts";
import { groupSchema, groupSummarySchema, trajectorySchema } from "../../../protocol/record/rolloutSchemas.ts";
import { z } from "../../../protocol/zod.ts";

const text = z.string();
const count = z.int().min(0);

export const skeletonSchema = z.strictObject({
  phase: z.enum(PHASES),
  /** Of the settings those that may differ from the run's. */
  config: z.record(text, z.unknown()),
  summaries: z.array(groupSummarySchema),
  groups: z.array(
    groupSchema.extend({
      trajectories: z.array(
        trajectorySchema.extend({
          /** Only where it differs from the group's. */
          promptTokens: z.array(count).exactOptional(),
          length: count,
          /** Only where it is not its pieces in a row. */
          text: text.exactOptional(),
        }),
      ),
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
