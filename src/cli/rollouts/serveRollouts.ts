// The server of conversations of a run's folder, for a training that starts it itself. Nothing of the model is built: its
// tokenizer and its longest sequence are enough.
import { isRecord } from "../../protocol/problems.ts";
import { prepareTask } from "../../rl/tasks/custom/world.ts";
import { rendererOf } from "../../train/backend/loadRenderer.ts";
import { planRun } from "../../train/start/plan.ts";
import { runRewards } from "../../train/start/runRewards.ts";
import { loadNamed } from "../custom/additions.ts";
import { problemCount } from "../exports/trl.ts";
import { findRun, pathOf, readJson } from "../folder/runFolder.ts";
import { CommandError } from "../lab/exit.ts";
import type { Report } from "../lab/verb.ts";
import { createNodeHost } from "../nodeHost.ts";
import { positionsOf } from "./positions.ts";
import { startRolloutServer } from "./rolloutServer.ts";

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
    ...{ config: plan.config, task: plan.instance, renderer, rewards: runRewards(plan, host) },
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
