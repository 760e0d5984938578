// Corrections for samplers and trainers that differ, in the order they are shown. A new one is a file beside this one and an entry here.
import type { MismatchCorrection } from "./correction.ts";
import { dppoKl, dppoTv } from "./dppo.ts";
import { icePop } from "./icePop.ts";
import { truncated } from "./truncated.ts";

export const corrections: readonly MismatchCorrection[] = [truncated, icePop, dppoTv, dppoKl];
