// A thread for work that may never end: the trainer ends it where it is late.
import { serveIsolated } from "../src/rl/rewards/isolate.ts";

serveIsolated(self as unknown as Parameters<typeof serveIsolated>[0]);
