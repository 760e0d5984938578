// The forms of logs, in the order they are asked: what one has read is blank to those after it.
import type { LogForm } from "../log.ts";
import { brokenDicts } from "./brokenDicts.ts";
import { csv } from "./csv.ts";
import { dicts } from "./dicts.ts";
import { keyValues } from "./keyValues.ts";
import { settingLines } from "./settingLines.ts";
import { stepLines } from "./stepLines.ts";
import { summary } from "./summary.ts";
import { tables } from "./tables.ts";
import { trainerState } from "./trainerState.ts";

export const logForms: readonly LogForm[] = [trainerState, dicts, brokenDicts, stepLines, keyValues, tables, csv, summary, settingLines];
