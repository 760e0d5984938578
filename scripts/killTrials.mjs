// npm run test:kill [-- --trials 60 --seed 1]: ends runs at random moments, in every way a run can end, and
// looks whether they go on as if nothing had happened. Needs a build (npm run build).
import { parseArgs } from "node:util";
import { runProgram } from "./environment.mjs";

const { values } = parseArgs({ options: { trials: { type: "string", default: "60" }, seed: { type: "string", default: "1" } } });
for (const [name, value] of Object.entries(values))
  if (!/^[1-9]\d{0,5}$/.test(value)) throw new Error(`--${name} must be a whole number >= 1, got ${value}`);

const program = ["playwright", "test", "test/browser/kill.spec.ts", "--workers=1", "--reporter=list"];
process.exit(await runProgram("npx", program, { KILL_TRIALS: values.trials, KILL_SEED: values.seed }));
