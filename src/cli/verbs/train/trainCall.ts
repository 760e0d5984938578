// What beginning a run and going on with one share: what the command line sets, the server and the forms that it names, and the report.
import type { RunConfig } from "../../../protocol/config.ts";
import type { Models } from "../../../train/host.ts";
import { CommandError, EXIT } from "../../lab/exit.ts";
import { operandWord } from "../../lab/texts.ts";
import type { Report } from "../../lab/verb.ts";
import { chosenModel } from "../../models/modelPlaces.ts";
import type { NamedServer } from "../../remote/httpServer.ts";
import { readSetting, type Setting } from "../../training/configFile.ts";
import { readForms } from "../../training/runLogs.ts";
import { summaryText } from "../../training/summary.ts";
import type { TrainingResult } from "../../training/trainInFolder.ts";
import type { TrainCall } from "./trainOptions.ts";

/** Throws where an option would change nothing with what trains. */
export function refuseForeign({ options: { backend, from, launch, python } }: TrainCall): void {
  if (backend !== "trl") {
    const [given] = Object.entries({ "--launch": launch, "--python": python }).find(([, value]) => value !== undefined) ?? [];
    if (given) throw new CommandError(`${given} is of a training by TRL: add --backend trl, or leave it out`);
  } else if (from !== undefined)
    throw new CommandError(
      `--from is of this engine's own training, and TRL begins with the configuration's model: rollout-lab export ${operandWord(from)} --to hf --out DIR makes a folder that --model DIR names`,
    );
}

/** What the command line sets. */
export async function settingsOf({ options: { set, seed, device, model, backend } }: TrainCall): Promise<readonly Setting[]> {
  // A server has models by their names alone.
  const checkpoint = model === undefined || backend === "tinker" ? model : await chosenModel(model);
  const ofModel = { model: "transformer", startFrom: "checkpoint", checkpoint };
  return [
    ...set.map(readSetting),
    ...(seed === undefined ? [] : [{ field: "seed", value: seed, option: "--seed" }]),
    ...(model === undefined ? [] : Object.entries(ofModel).map(([field, value]) => ({ field, value, option: "--model" }))),
    ...(backend === "tinker" ? [{ field: "backend", value: "tinker", option: "--backend tinker" }] : []),
    ...(device === undefined ? [] : [{ field: "backend", value: device, option: "--device" }]),
  ];
}

/** The server of a run that has its model on one; null for any other. @param facts what run.json says of a run that goes on */
export async function serverOf({ backend }: RunConfig, url: string | undefined, facts?: unknown): Promise<NamedServer | null> {
  if (backend === "tinker") return (await import("../../remote/httpServer.ts")).namedServer(url, facts);
  if (url === undefined) return null;
  throw new CommandError("--url is of a server that has the model: add --backend tinker");
}

export const opening = (server: NamedServer | null): Pick<Models, "openServer"> => (server ? { openServer: async () => server } : {});

/** Forms in which metrics are written while a run goes on. */
export const formsOf = (log: string | undefined) => (log === undefined ? [] : readForms(log));

/** What a training came to. */
export function reportOf({ summary, recorder, isInterrupted }: TrainingResult): Report {
  const run = operandWord(summary.run);
  const again = `rollout-lab train ${run} --resume`;
  const next = isInterrupted ? `interrupted: ${again} goes on from here` : `next: rollout-lab sample ${run}`;
  return {
    facts: { ...summary, interrupted: isInterrupted, ...(isInterrupted ? { resume: again } : {}) },
    text: `${summaryText(summary, recorder.recorded)}\n${next}`,
    exitCode: isInterrupted ? EXIT.interrupted : EXIT.ok,
  };
}
