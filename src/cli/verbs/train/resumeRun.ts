// Goes on with a run from its last save, as it was begun.
import { contentsIn } from "../../custom/contents.ts";
import { isOfTrl, namesRun } from "../../folder/runFolder.ts";
import { CommandError } from "../../lab/exit.ts";
import type { Report } from "../../lab/verb.ts";
import { planFile } from "../../training/configFile.ts";
import { findResumed, type NamedRun, namedRun } from "../../training/resumed.ts";
import { hostOf } from "../../training/runHost.ts";
import { trainInFolder } from "../../training/trainInFolder.ts";
import { formsOf, opening, refuseForeign, reportOf, serverOf, settingsOf } from "./trainCall.ts";
import { TRAJECTORIES, type TrainCall } from "./trainOptions.ts";

async function resumeTrl(call: TrainCall, named: NamedRun): Promise<Report> {
  const { resumedTrl } = await import("../../training/trl/resumedTrl.ts");
  const { trainWithTrl } = await import("../../training/trl/trainWithTrl.ts");
  const { interrupt, progress, options } = call;
  const { file, begun } = await resumedTrl(named, await settingsOf(call));
  const host = await hostOf(planFile(file).config, { contents: file.contents, additions: file.loaded?.additions });
  return trainWithTrl({
    file,
    host,
    interrupt,
    progress,
    resumed: named.folder,
    out: undefined,
    dryRun: false,
    python: options.python ?? begun.python,
    launch: options.launch ?? begun.launch,
    log: options.log ?? begun.log,
    trajectories: options.trajectories ?? begun.trajectories ?? TRAJECTORIES,
  });
}

/** Goes on with the run that a command line names. */
export async function resumeRun(call: TrainCall): Promise<Report> {
  const { from, model, backend, out, trajectories, "dry-run": isDry } = call.options;
  const given = { "--from": from, "--model": model, "--backend trl": backend === "trl" || undefined, "--dry-run": isDry || undefined };
  const [begins] = Object.entries(given).find(([, value]) => value !== undefined) ?? [];
  if (begins) throw new CommandError(`${begins} is of a run that begins, and --resume goes on with one: leave one of them out`);
  const named = namesRun(call.operands[0]!) ? null : await namedRun(call.operands[0]!, out);
  if (named && isOfTrl(named.facts)) return resumeTrl(call, named);
  refuseForeign(call);
  const { folder, plan, settings, additions, notices, facts, ...found } = await findResumed(call.operands[0]!, out, await settingsOf(call));
  const server = await serverOf(plan, call.options.url, facts);
  const host = await hostOf(plan, { ...opening(server), contents: contentsIn([folder.path]), additions });
  const forms = formsOf(call.options.log ?? found.log);
  const most = trajectories ?? found.trajectories ?? TRAJECTORIES;
  return reportOf(await trainInFolder({ ...call, folder, from: { settings, plan }, host, trajectories: most, forms, notices }));
}
