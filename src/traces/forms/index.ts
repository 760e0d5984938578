// The forms in which rollouts of other programs are read, in the order in which a file's first row is shown to them.
import { chat } from "./chat.ts";
import type { TraceForm } from "./form.ts";
import { trl } from "./trl.ts";

export const forms: readonly TraceForm[] = [trl, chat];
