// Calls of the Tinker API that the official client makes beside those that train and sample: what it asks before it begins, and what it tells on
// the way. The project's own client makes none of them.

type Body = Readonly<Record<string, unknown>>;

/** The answer to such a call; null where it is none of them. */
export function answerToOfficial(path: string, { model_id }: Body, modelName: string): unknown {
  if (path === "client/config") return { pjwt_auth_enabled: false, parallel_fwdbwd_chunks: false };
  if (path === "telemetry") return { status: "accepted" };
  if (path === "get_info")
    return { type: "get_info", model_id, model_name: modelName, is_lora: true, model_data: { arch: "llama", model_name: modelName } };
  if (path.startsWith("samplers/")) return { sampler_id: path.slice("samplers/".length), base_model: modelName, model_path: null };
  return null;
}
