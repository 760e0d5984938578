// One step of a run on a server beside the same step here: the trainer's own request, with its rollouts, advantages and
// objective, goes to both models, which begin with the same adapters. A server draws its own, so they are read from what it
// hands its sampler, which is PEFT's form.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createNodeHost } from "../../../src/cli/nodeHost.ts";
import { namedServer } from "../../../src/cli/remote/httpServer.ts";
import { readAdapterFolder } from "../../../src/model/folder/adapterFolder.ts";
import { modelHere, type UpdateRequest } from "../../../src/model/model.ts";
import type { RunConfigInput } from "../../../src/protocol/config.ts";
import { planRun } from "../../../src/train/start/plan.ts";
import { type ActiveRun, prepareRun } from "../../../src/train/start/start.ts";
import { hold, type Interop } from "../check.ts";
import type { Skyrl } from "./skyrl.ts";

const SIGNALS = { onPreparing() {}, onLost() {}, pause: async () => {} };

/** What the two came to, in nats. */
export interface BesideEachOther {
  readonly sequences: number;
  readonly tokens: number;
  /** Largest distance of log-probs before the step. */
  readonly before: number;
  /** Largest change of a log-prob by the step, and the largest distance of two changes. */
  readonly change: number;
  readonly apart: number;
  /** Length of the difference as a share of the change's own. */
  readonly share: number;
}

/** Reads the adapters that a model has, as it hands them to samplers under a name. */
async function adaptersOf(modelId: string, { url, weights }: Skyrl, { folder, python }: Interop) {
  const ask = async (path: string, body: object) => {
    const headers = { "content-type": "application/json" };
    const answer = await fetch(`${url}/api/v1/${path}`, { method: "POST", headers, body: JSON.stringify(body) });
    hold(answer.ok, `SkyRL answers ${path} with ${answer.status}`);
    return (await answer.json()) as Readonly<Record<string, unknown>>;
  };
  const { request_id } = await ask("save_weights_for_sampler", { model_id: modelId, path: "start" });
  await ask("retrieve_future", { request_id });
  const into = join(folder, `adapters-${modelId}`);
  const archive = join(weights, modelId, "sampler_weights", "start.tar.gz");
  await python("-c", "import sys, tarfile; tarfile.open(sys.argv[1]).extractall(sys.argv[2])", archive, into);
  return readAdapterFolder(async (name) => new Uint8Array(readFileSync(join(into, name))));
}

async function opened(config: RunConfigInput, url: string | null): Promise<ActiveRun> {
  const server = url === null ? null : await namedServer(url);
  const host = createNodeHost(server ? { openServer: async () => server } : {});
  return prepareRun("step", planRun({ config }), host, SIGNALS);
}

const largest = (values: Float32Array): number => values.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
const length = (values: Float32Array): number => Math.sqrt(values.reduce((sum, value) => sum + value * value, 0));
const minus = (one: Float32Array, other: Float32Array): Float32Array => one.map((value, k) => value - other[k]!);

/** Takes the first step of a run on the server, and the same here. */
export async function oneStepBeside(interop: Interop, skyrl: Skyrl, config: RunConfigInput): Promise<BesideEachOther> {
  const there = await opened({ ...config, backend: "tinker" }, skyrl.url);
  const here = await opened({ ...config, backend: "wasm", threads: 1 }, null);
  const model = modelHere(here.model);
  let seen: BesideEachOther | null = null;
  const takeThere = there.model.update.bind(there.model);
  const saved = await there.model.save();
  hold("path" in saved, "the weights of a run on a server lie here");
  const modelId = /^tinker:\/\/([^/]+)\//.exec(saved.path)?.[1] ?? "";
  const update = async (request: UpdateRequest) => {
    const { lora, values } = await adaptersOf(modelId, skyrl, interop);
    hold(lora.alpha === config.loraAlpha && lora.rank === config.loraRank, `SkyRL's adapters have alpha ${lora.alpha}, rank ${lora.rank}`);
    await model.load({ ...(await model.save()), policy: values });
    const score = async (of: typeof there.model) => (await of.score(request.batch, "policy")).logprobs_K;
    const before = [await score(there.model), await score(model)] as const;
    const told = await takeThere(request);
    await model.update(request);
    const changes = [minus(await score(there.model), before[0]), minus(await score(model), before[1])] as const;
    seen = {
      sequences: request.batch.sequenceStart_Q.length - 1,
      tokens: before[0].length,
      before: largest(minus(...before)),
      change: largest(changes[1]),
      apart: largest(minus(...changes)),
      share: length(minus(...changes)) / length(changes[1]),
    };
    return told;
  };
  Object.assign(there.model, { update });
  try {
    const phases = there.trainer.takeStep(() => {});
    while (!(await phases.next()).done);
  } finally {
    there.model.dispose();
    here.model.dispose();
  }
  hold(seen !== null, "the step had no update: all its groups were equal");
  return seen;
}
