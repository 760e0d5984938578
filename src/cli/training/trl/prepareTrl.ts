// All that TRL is to get, made before any folder is: the files, what the policy reaches before, and what the server of
// conversations holds them with. Whatever cannot be trained there is refused here, for a dry run as for the run.
import { adaptedLayout } from "../../../model/lora/adapters.ts";
import { sizeOf } from "../../../model/tensors.ts";
import { parameterCount } from "../../../model/transformerConfig.ts";
import type { RunConfig } from "../../../protocol/config.ts";
import type { ModelReport } from "../../../protocol/messages.ts";
import type { BaselineRecord, EvaluationRecord } from "../../../protocol/records.ts";
import { uniformPolicy } from "../../../rl/rollout/uniformPolicy.ts";
import { prepareTask } from "../../../rl/tasks/custom/world.ts";
import { rendererOf } from "../../../train/backend/loadRenderer.ts";
import { evaluate, measureRandomBaseline, startBaseline } from "../../../train/evaluation.ts";
import type { Host } from "../../../train/host.ts";
import { contextOf } from "../../../train/run/evaluateRun.ts";
import { loraOf } from "../../../train/start/openedPlan.ts";
import type { RunPlan } from "../../../train/start/plan.ts";
import { checkCode } from "../../../train/start/rewardParts.ts";
import { runRewards } from "../../../train/start/runRewards.ts";
import { disposeModels, prepareRun } from "../../../train/start/start.ts";
import type { LoggedRollouts } from "../../exports/trl/files.ts";
import { refuseForTrl } from "../../exports/trl/form.ts";
import { ownModel, placeOfModel, type TrlRun, trlRunOf } from "../../exports/trl/model.ts";
import { type TrlFolder, trlFolder } from "../../exports/trl.ts";
import type { Progress } from "../../lab/progress.ts";
import type { RolloutParts } from "../../rollouts/heldRollouts.ts";
import { positionsOf } from "../../rollouts/serveRollouts.ts";

/** What TRL is given, and what the policy reaches before. */
export interface PreparedTrl {
  readonly config: RunConfig;
  readonly report: ModelReport;
  readonly folder: TrlFolder;
  /** Whether the model's weights are here, so that this engine evaluates. */
  readonly hasWeights: boolean;
  /** What conversations are held with. */
  readonly held: Omit<RolloutParts, "onProblem">;
  readonly baselines: readonly BaselineRecord[];
  readonly evaluations: readonly EvaluationRecord[];
}

interface Preparing {
  /** What refusals name. */
  readonly name: string;
  readonly plan: RunPlan;
  readonly host: Host;
  /** Starts a server of conversations. */
  readonly command: readonly string[];
  readonly progress: Progress;
  /** Conversations that it logs while it trains. */
  readonly logged: LoggedRollouts | null;
  /** Whether the start is evaluated too. */
  readonly measures: boolean;
}

/** What is told of a model whose weights are not here. */
async function reportElsewhere(config: RunConfig, host: Host, name: string, vocabulary: number) {
  const { maxPositions, shape } = await positionsOf(config, host);
  const parameters = shape ? parameterCount(shape) : 0;
  const lora = loraOf(config);
  const trained = lora === null ? parameters : shape ? sizeOf(adaptedLayout(shape, lora).layout) : 0;
  const description = `${name}${lora ? `, adapters of rank ${lora.rank}` : ""}`;
  const report: ModelReport = { kind: "transformer", parameters, trained, vocabulary, description };
  return { report, maxPositions };
}

/** A start whose model TRL brings itself. */
async function prepareElsewhere(
  asked: Preparing,
  place: { readonly name: string; readonly revision: string | null },
): Promise<PreparedTrl> {
  const { name, plan, command, logged, measures } = asked;
  const { config, instance: task } = plan;
  const { openModel } = asked.host;
  const host: Host = { ...asked.host, ...(openModel ? { openModel: (model: string) => openModel(model, false) } : {}) };
  await prepareTask(plan, host);
  const renderer = await rendererOf(config, plan.task.rendererKind, host);
  const { report, maxPositions } = await reportElsewhere(config, host, place.name, renderer.vocabularySize);
  const rewards = runRewards(plan, host);
  const run: TrlRun = { config, task, renderer, rewards, model: place, maxPositions, policy: null };
  const folder = await trlFolder(name, run, command, logged);
  const context = { config, task, renderer, rewards, policy: uniformPolicy(renderer.vocabularySize) };
  const baselines = measures ? [await measureRandomBaseline(context)] : [];
  const held = { config, task, renderer, rewards, maxPositions, problems: folder.problems };
  return { config, report, folder, hasWeights: false, held, baselines, evaluations: [] };
}

/** A start whose model is built here too, so that this engine measures it. */
async function prepareHere(asked: Preparing, place: Awaited<ReturnType<typeof placeOfModel>>): Promise<PreparedTrl> {
  const { name, plan, host, command, logged, progress, measures } = asked;
  const run = await prepareRun("trl", plan, host, { onPreparing() {}, onLost() {}, pause: host.yield });
  try {
    const { config } = plan;
    refuseForTrl(name, { ...run, config });
    const trlRun = trlRunOf(run, place ?? (await ownModel(name, run)));
    const folder = await trlFolder(name, trlRun, command, logged);
    const { task, renderer, rewards, maxPositions } = trlRun;
    const held = { config, task, renderer, rewards, maxPositions, problems: folder.problems };
    const made = { config, report: run.model.report, folder, hasWeights: true, held };
    if (!measures) return { ...made, baselines: [], evaluations: [] };
    const context = contextOf(run);
    const random = await measureRandomBaseline(context);
    const start = await evaluate(context, 0, (done, total) => progress.doing(`evaluating the start, ${done} of ${total}`));
    return { ...made, baselines: [random, startBaseline(start)], evaluations: [start] };
  } finally {
    disposeModels(run);
  }
}

/** Throws a CommandError for what cannot be trained there. */
export async function prepareTrl(asked: Preparing): Promise<PreparedTrl> {
  const { plan, host } = asked;
  await checkCode(plan, host);
  const place = await placeOfModel(plan.config);
  return place && !place.isHere ? prepareElsewhere(asked, place) : prepareHere(asked, place);
}
