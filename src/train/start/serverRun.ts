// The model of a run on a server: which of the server's models it is, and what is known of it here. Tokenizer and shape are read from the
// model's folder as for a run that computes here; the weights never come.
import { shapeIn } from "../../model/folder/configFile.ts";
import { textFile } from "../../model/folder/modelFolder.ts";
import { adaptedLayout } from "../../model/lora/adapters.ts";
import { ServerClient } from "../../model/remote/client.ts";
import { RemoteModel } from "../../model/remote/remoteModel.ts";
import type { ModelServer } from "../../model/remote/server.ts";
import { adapterRequest, offeredModels } from "../../model/remote/serverSession.ts";
import { sizeOf } from "../../model/tensors.ts";
import { parameterCount } from "../../model/transformerConfig.ts";
import type { RunConfig } from "../../protocol/config.ts";
import type { ModelReport } from "../../protocol/messages.ts";
import { readModelName } from "../../protocol/models/modelName.ts";
import { lastPart } from "../../protocol/models/servedServer.ts";
import { InputError, showValue } from "../../protocol/problems.ts";
import { hash32 } from "../../rl/data/problems.ts";
import type { Clock, Models } from "../host.ts";
import type { BuiltModel, RunSignals } from "./model.ts";
import { loraOf, type OpenedPlan } from "./openedPlan.ts";

/** How long a start waits for a server that is away. */
const START_PATIENCE_MS = 5_000;
/** Positions of a model whose server does not say how many it takes. */
const POSITIONS = 2048;

const NOT_HERE = "the adapters of this run lie on its server: fetch them there by the name in the run's save";

/** The server of a host; throws where it has none. */
async function serverOf(host: Models): Promise<ModelServer> {
  if (host.openServer) return host.openServer();
  throw new InputError([{ field: "backend", message: "backend tinker needs a host with a server that speaks the Tinker API" }]);
}

/** Which of a server's models a checkpoint's name means: the hub's model of that name, or the folder that the server was started with. */
function serverModelOf(checkpoint: string, offered: readonly string[], server: string): string {
  const name = readModelName(checkpoint);
  const wanted = name?.kind === "hub" ? name.repository : checkpoint;
  const found =
    offered.find((each) => each === wanted) ?? offered.find((each) => name?.kind !== "hub" && lastPart(each) === lastPart(wanted));
  if (found !== undefined) return found;
  const list = offered
    .slice(0, 8)
    .map((each) => showValue(each))
    .join(", ");
  const message = `checkpoint must be a model that the server ${server} offers (${list || "none"}), got ${showValue(checkpoint)}`;
  throw new InputError([{ field: "checkpoint", message }]);
}

async function reportOf({ config, renderer, folder }: OpenedPlan, name: string): Promise<ModelReport> {
  const vocabulary = renderer.vocabularySize;
  if (!folder) throw new Error("internal: a run on a server begins with a checkpoint");
  const shape = shapeIn(await textFile(folder, "config.json"));
  const lora = loraOf(config);
  const adapters = `adapters of rank ${config.loraRank}`;
  if (!shape) return { kind: "transformer", parameters: 0, trained: 0, vocabulary, description: `${name} on a server, ${adapters}` };
  const trained = lora ? sizeOf(adaptedLayout(shape, lora).layout) : 0;
  const description = `${name} on a server, ${shape.layers} layers, width ${shape.hiddenSize}, ${adapters} with ${trained} numbers trained`;
  return { kind: "transformer", parameters: parameterCount(shape), trained, vocabulary, description };
}

/**
 * Asks the host's server for the model of a configuration. Throws a sentence where the server is away, refuses the key,
 * or lacks the model.
 */
export async function reachServer(config: RunConfig, host: Clock & Models) {
  const server = await serverOf(host);
  const client = new ServerClient(server, host, START_PATIENCE_MS);
  const offered = await offeredModels(client);
  const names = offered.map(({ model_name }) => model_name);
  const baseModel = serverModelOf(config.checkpoint, names, server.name);
  const longest = offered.find(({ model_name }) => model_name === baseModel)?.max_context_length;
  return { server, client: new ServerClient(server, host), baseModel, longest };
}

/** Where the reference of a run comes from, as a sentence. */
export function referenceText({ klCoef, klTarget, serverReference }: RunConfig): string {
  if (klCoef === 0 && klTarget === 0) return "There is no reference.";
  return serverReference === "prompt"
    ? "The reference is the base, by its log-probs of a prompt."
    : "The reference is the base, by a second model that is never stepped.";
}

/** Opens a model on the host's server. Throws a sentence where the server is away, refuses the key, or lacks the model. */
export async function buildOnServer(runId: string, plan: OpenedPlan, host: Clock & Models, signals: RunSignals): Promise<BuiltModel> {
  const { config } = plan;
  signals.onPreparing("the server", 0, 2);
  const { server, client, baseModel, longest } = await reachServer(config, host);
  client.onNotice = (notice) => signals.onNotice?.(notice);
  await signals.pause();
  signals.onPreparing("the model on the server", 1, 2);
  const model = new RemoteModel({
    client,
    baseModel,
    adapter: adapterRequest(config),
    reference: config.serverReference,
    report: await reportOf(plan, baseModel),
    maxPositions: longest ?? POSITIONS,
    // Two runs of one name, or one begun again, must not meet on the server.
    prefix: `lab-${hash32(`${runId} ${host.wallTime()}`).toString(36)}`,
  });
  try {
    await model.prepare();
  } catch (error) {
    model.dispose();
    throw error;
  }
  signals.onPreparing("ready", 2, 2);
  const once = client.countsOnce
    ? "It counts a second try of a request once."
    : "It does not say that it counts a second try of a request once: where an answer is missing, the model is made anew.";
  const reason = `Chosen in the configuration. ${once} ${referenceText(config)}`;
  const nothing = async () => {
    throw new Error(NOT_HERE);
  };
  return {
    model,
    critic: null,
    // Its reference is what every run on a server begins with.
    atStart: (look) => look(),
    wholeWeights: nothing,
    adapterFiles: nothing,
    backend: { id: "tinker", title: `Tinker API on ${server.name}`, reason, threads: 0, tried: [{ id: "tinker", outcome: "chosen" }] },
    transformer: null,
  };
}
