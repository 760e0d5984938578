// The forms of logs, in the order they are asked: what one has read is blank to those after it.
import type { LogForm } from "../log.ts";
import { csv } from "./csv.ts";
import { dicts } from "./dicts.ts";
import { keyValues } from "./keyValues.ts";
import { primeRlLines } from "./primeRl.ts";
import { settingLines } from "./settingLines.ts";
import { summary } from "./summary.ts";
import { tables } from "./tables.ts";
import { trainerState } from "./trainerState.ts";

export const logForms: readonly LogForm[] = [trainerState, dicts, primeRlLines, keyValues, tables, csv, summary, settingLines];
