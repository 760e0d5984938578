// The verbs of the command line, in the order they are listed: one line each. What a verb needs beyond its own
// description it loads when it runs, so that the others start at once.
import type { Verb } from "../lab/verb.ts";
import { bench } from "./bench.ts";
import { compare } from "./compare.ts";
import { diagnoseVerb } from "./diagnose.ts";
import { doctor } from "./doctor.ts";
import { evaluateVerb } from "./eval.ts";
import { exportVerb } from "./export.ts";
import { fetchVerb } from "./fetch.ts";
import { init } from "./init.ts";
import { labelVerb } from "./label.ts";
import { list } from "./list.ts";
import { openVerb } from "./open.ts";
import { publish } from "./publish.ts";
import { rollouts } from "./rollouts.ts";
import { sample } from "./sample.ts";
import { schema } from "./schema.ts";
import { serve } from "./serve.ts";
import { sweep } from "./sweep.ts";
import { train } from "./train.ts";
import { version } from "./version.ts";

export const verbs: readonly Verb[] = [
  train,
  evaluateVerb,
  sample,
  list,
  labelVerb,
  compare,
  diagnoseVerb,
  sweep,
  exportVerb,
  publish,
  rollouts,
  openVerb,
  fetchVerb,
  init,
  schema,
  doctor,
  bench,
  serve,
  version,
];
