// The ways out of a run: one line each.
import type { Exporter } from "./exporter.ts";
import { adapterFolder, modelFolder } from "./modelFolder.ts";
import { records } from "./records.ts";
import { rollout } from "./rollout.ts";
import { trl } from "./trl.ts";
import { verl } from "./verl.ts";

export const exporters: readonly Exporter[] = [modelFolder, adapterFolder, rollout, ...records, trl, verl];
