// The forms in which rollouts of other programs are read, in the order in which a file's first row is shown to them.
import { chat } from "./chat.ts";
import type { TraceForm } from "./form.ts";
import { lab } from "./lab.ts";
import { primeRl } from "./primeRl.ts";
import { tinker } from "./tinker.ts";
import { trl } from "./trl.ts";
import { verifiersResults } from "./verifiersResults.ts";
import { verifiersTraces } from "./verifiersTraces.ts";
import { verl } from "./verl.ts";

export const forms: readonly TraceForm[] = [lab, trl, verl, primeRl, verifiersTraces, verifiersResults, tinker, chat];
