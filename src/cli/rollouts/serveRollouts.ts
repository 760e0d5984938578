// The server of conversations of a run's folder, for a training that starts it itself. Nothing of the model is built: its
// tokenizer and its longest sequence are enough.
import { shapeIn } from "../../model/folder/configFile.ts";
import { textFile } from "../../model/folder/modelFolder.ts";
import type { TransformerConfig } from "../../model/transformerConfig.ts";
import type { RunConfig } from "../../protocol/config.ts";
import { isRecord } from "../../protocol/problems.ts";
import { prepareTask } from "../../rl/tasks/custom/world.ts";
import { checkpointFolder, type ModelReader, rendererOf } from "../../train/backend/loadRenderer.ts";
import { planRun } from "../../train/start/plan.ts";
import { runRewards } from "../../train/start/runRewards.ts";
import { loadNamed } from "../custom/additions.ts";
import { problemCount } from "../exports/trl.ts";
import { findRun, pathOf, readJson } from "../folder/runFolder.ts";
import { CommandError } from "../lab/exit.ts";
import type { Report } from "../lab/verb.ts";
import { createNodeHost } from "../nodeHost.ts";
import { startRolloutServer } from "./rolloutServer.ts";

/** Positions of a model that does not say how many it takes, and of one that begins at random. */
const POSITIONS = 2048;

/**
 * What is known without its weights of the model that a configuration begins with: its longest sequence, and its shape
 * where it computes here too.
 */
export async function positionsOf(
  config: RunConfig,
  host: ModelReader,
): Promise<{ readonly maxPositions: number; readonly shape: TransformerConfig | null }> {
  const folder = await checkpointFolder(config, host);
  if (!folder) return { maxPositions: POSITIONS, shape: null };
  const text = await textFile(folder, "config.json");
  const given: unknown = JSON.parse(text);
  const told = isRecord(given) && typeof given.max_position_embeddings === "number" ? given.max_position_embeddings : POSITIONS;
  const shape = shapeIn(text);
  return { maxPositions: shape?.maxPositions ?? told, shape };
}

/** Serves until standard input ends, as it does with the program that has started this. */
export async function serveRollouts(path: string): Promise<Report> {
  const folder = await findRun(path);
  const config = await readJson(pathOf(folder, "config.json"));
  if (!isRecord(config)) throw new CommandError(`${pathOf(folder, "config.json")} is no configuration`);
  const loaded = await loadNamed(await readJson(pathOf(folder, "run.json")));
  const host = createNodeHost({ additions: loaded?.additions });
  const plan = planRun({ config }, loaded?.additions);
  await prepareTask(plan, host);
  const openModel = (name: string) => host.openModel?.(name, false) ?? Promise.resolve(null);
  const reader = { ...host, openModel };
  const renderer = await rendererOf(plan.config, plan.task.rendererKind, reader);
  const server = await startRolloutServer({
    config: plan.config,
    task: plan.instance,
    renderer,
    rewards: runRewards(plan, host),
    maxPositions: (await positionsOf(plan.config, reader)).maxPositions,
    problems: plan.instance.trainLoader().next(problemCount(plan.config)),
    onProblem: (reason) => process.stderr.write(`conversations had no verdict: ${reason}\n`),
  });
  const { url, token } = server;
  process.stdout.write(`${JSON.stringify({ url, token })}\n`);
  const until = new Promise<void>((resolve) => {
    process.stdin.on("end", resolve).on("close", resolve).resume();
  }).then(() => server.close());
  return { facts: {}, text: "", until };
}
