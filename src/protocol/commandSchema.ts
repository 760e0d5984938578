// Commands as they may arrive from outside a thread, checked before they reach the engine. What a
// start command's configuration holds is checked with better words when the run is planned.
import { z } from "zod";
import { runConfigSchema } from "./config.ts";
import { liveSettingsSchema } from "./configFacts.ts";

const runId = z.string().min(1).max(100);

export const commandSchema = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("start"), runId, config: z.record(z.string(), z.unknown()), paused: z.boolean().optional() }),
  z.strictObject({
    type: z.literal("continue"),
    runId,
    paused: z.boolean().optional(),
    backend: runConfigSchema.shape.backend.unwrap().optional(),
  }),
  z.strictObject({ type: z.literal("pause") }),
  z.strictObject({ type: z.literal("resume") }),
  z.strictObject({ type: z.literal("advance"), unit: z.enum(["step", "phase"]) }),
  z.strictObject({ type: z.literal("stop") }),
  z.strictObject({ type: z.literal("reset") }),
  z.strictObject({ type: z.literal("set"), settings: liveSettingsSchema }),
  z.strictObject({ type: z.literal("pace"), delayMs: z.number().min(0).max(60_000) }),
  z.strictObject({ type: z.literal("inspect"), step: z.int().min(0), promptIndex: z.int().min(0).optional() }),
  z.strictObject({ type: z.literal("export-model") }),
]);
