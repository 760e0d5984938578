// A GPU that goes away fails whatever waits for it, in browsers some time before it is announced as lost.
import type { Host } from "../host.ts";

/** How long an error waits for a better explanation, and how often it looks for one. */
const WAIT_MS = 500;
const POLL_MS = 20;

/** Waits until the loss is announced, or for so long that there is none. */
export async function awaitLoss({ sleep }: Pick<Host, "sleep">, isLost: () => boolean): Promise<void> {
  for (let waited = 0; waited < WAIT_MS && !isLost(); waited += POLL_MS) await sleep(POLL_MS);
}
