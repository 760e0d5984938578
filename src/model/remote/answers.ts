// The answers of the Tinker API that are read, as schemas. What else a server tells is passed over.
import { z } from "../../protocol/zod.ts";

export const anything = z.unknown();

export const capabilitiesAnswer = z.object({
  supported_models: z.array(z.object({ model_name: z.string(), max_context_length: z.int().positive().nullish() })),
});

export const sessionAnswer = z.object({ session_id: z.string().min(1) });

export const modelAnswer = z.object({ request_id: z.string().min(1), model_id: z.string().min(1).nullish() });
export const createdAnswer = z.object({ model_id: z.string().min(1) });

const numbers = z.object({ data: z.array(z.number()) });
export const passAnswer = z.object({
  loss_fn_outputs: z.array(z.object({ logprobs: numbers })),
  metrics: z.record(z.string(), z.unknown()).nullish(),
});

export const stepAnswer = z.object({ metrics: z.record(z.string(), z.unknown()).nullish() });

export const savedAnswer = z.object({ path: z.string().min(1) });

export const samplerAnswer = z.object({ sampling_session_id: z.string().min(1).nullish(), path: z.string().nullish() });

export const sampleAnswer = z.object({
  prompt_logprobs: z.array(z.number().nullable()).nullish(),
  sequences: z.array(
    z.object({
      tokens: z.array(z.int()),
      logprobs: z.array(z.number()).nullish(),
      stop_reason: z.string(),
    }),
  ),
});
export type Sampled = z.infer<typeof sampleAnswer>["sequences"][number];
