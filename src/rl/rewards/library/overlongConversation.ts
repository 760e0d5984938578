// DAPO's soft overlong punishment for conversations of several turns: the limit is one of the whole
// conversation, since the completion limit is one of each turn.
import { integer, section } from "../../../protocol/config/field.ts";
import { z } from "../../../protocol/zod.ts";
import { overlongPunishment } from "../combineParts.ts";
import { defineLibraryRule } from "./libraryRule.ts";

/** 0 up to limit - buffer sampled tokens in all turns, -1 from the limit on, linear in between. */
export const overlongConversation = defineLibraryRule({
  name: "overlongConversation",
  title: "Overlong conversation",
  help: "0 for a short conversation, falling to -1 in the buffer before its limit of sampled tokens.",
  weight: 1,
  settingsSchema: z.strictObject(
    section("task", {
      limit: integer(1, 65_536, 64, "Limit", "Sampled tokens of all turns from which the punishment is -1.", { unit: "tokens" }),
      buffer: integer(1, 65_536, 16, "Buffer", "Tokens before the limit in which the punishment grows.", { unit: "tokens" }),
    }),
  ),
  score: ({ limit, buffer }, _, { logprobs }) => overlongPunishment(logprobs.length, limit, buffer),
  python: "lambda judged, limit, buffer: overlong(sum(judged.sampled), limit, buffer)",
});
