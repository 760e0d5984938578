// A session on a server, and the models of it. A server cleans up a session that it does not hear from, so it is told now and then
// that somebody is there; whatever it forgets is made again.
import type { RunConfig } from "../../protocol/config.ts";
import { anything, capabilitiesAnswer, createdAnswer, modelAnswer, sessionAnswer } from "./answers.ts";
import type { ServerClient } from "./client.ts";
import { ModelForgotten, ServerRefused } from "./failures.ts";

/** The adapters of a model as a server is asked for them: three switches where the lab names projections, and an alpha of its own. */
export interface AdapterRequest {
  readonly rank: number;
  readonly seed: number;
  readonly train_attn: boolean;
  readonly train_mlp: boolean;
  readonly train_unembed: boolean;
}

/** Which projections a configuration trains; a server knows no finer cut. */
export function adapterRequest({ loraRank, loraTargets, seed }: Pick<RunConfig, "loraRank" | "loraTargets" | "seed">): AdapterRequest {
  return {
    rank: loraRank,
    seed,
    train_attn: loraTargets !== "feed-forward",
    train_mlp: loraTargets === "all-linear" || loraTargets === "feed-forward",
    train_unembed: false,
  };
}

/** The models that a server has. Throws a sentence where it is away, refuses the key, or does not speak the API. */
export async function offeredModels(client: ServerClient) {
  const asked = client.call("GET", "get_server_capabilities", undefined, capabilitiesAnswer);
  const { supported_models } = await asked.catch((error: unknown) => {
    if (!(error instanceof ModelForgotten)) throw error;
    const message = `the server ${client.server.name} does not speak the Tinker API (${error.message}): is its address right, with its path but without /api/v1?`;
    throw new ServerRefused(message, { cause: error });
  });
  return supported_models;
}

/** What the official clients do. */
const HEARTBEAT_MS = 10_000;
/** The version of the API's clients that this one speaks as. */
const SDK_VERSION = "0.25.0";

/** Owned state. */
export class ServerSession {
  readonly #client: ServerClient;
  #sessionId: string | null = null;
  #models = 0;
  #isOver = false;

  constructor(client: ServerClient) {
    this.#client = client;
  }

  /** Makes a model beside a base; its id. Begins the session where there is none, or none any more. */
  async createModel(baseModel: string, adapter: AdapterRequest): Promise<string> {
    const client = this.#client;
    if (this.#sessionId === null) {
      const { session_id } = await client.call(
        "POST",
        "create_session",
        { tags: ["rollout-lab"], user_metadata: {}, sdk_version: SDK_VERSION, type: "create_session" },
        sessionAnswer,
      );
      this.#sessionId = session_id;
      void this.#keepAlive(session_id);
    }
    const body = {
      session_id: this.#sessionId,
      model_seq_id: this.#models++,
      base_model: baseModel,
      lora_config: adapter,
      type: "create_model",
    };
    const { request_id, model_id } = await client.call("POST", "create_model", body, modelAnswer);
    const created = await client.result("create_model", request_id, createdAnswer, false);
    return model_id ?? created.model_id;
  }

  /** Gives a model back; one that the server has forgotten is as good as given back. */
  async unload(modelId: string): Promise<void> {
    await this.#client.call("POST", "unload_model", { model_id: modelId, type: "unload_model" }, anything).catch(() => {});
  }

  /** What belongs to the session is gone with it. */
  forget(): void {
    this.#sessionId = null;
  }

  /** Nothing is told any more. */
  end(): void {
    this.#isOver = true;
    this.#sessionId = null;
  }

  async #keepAlive(sessionId: string): Promise<void> {
    const client = this.#client;
    for (;;) {
      await client.clock.sleep(HEARTBEAT_MS);
      if (this.#isOver || this.#sessionId !== sessionId) return;
      await client.beat("session_heartbeat", { session_id: sessionId, type: "session_heartbeat" }, HEARTBEAT_MS);
    }
  }
}
