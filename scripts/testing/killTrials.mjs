// npm run test:kill [-- --trials 60 --resumes 100 --seed 1 --first 0 --only NAME]: ends runs at random moments, in every way a
// run can end, on the command line and in the page, and looks whether they go on as if nothing had happened; a
// number of 0 leaves one of the two out, `first` is the trial to begin with, `only` one run of test/support/killedRuns.ts. Needs a build (npm run build).
import { parseArgs } from "node:util";
import { runProgram } from "../environment.mjs";

const number = /** @param {string} value */ (value) => ({ type: /** @type {const} */ ("string"), default: value });
const { values } = parseArgs({
  options: { trials: number("60"), resumes: number("100"), seed: number("1"), first: number("0"), only: { type: "string", default: "" } },
});
const { only, ...numbers } = values;
for (const [name, value] of Object.entries(numbers))
  if (!/^(0|[1-9]\d{0,5})$/.test(value)) throw new Error(`--${name} must be a whole number >= 0, got ${value}`);
const { trials, resumes, seed, first } = numbers;

const chosen = { KILL_TRIALS: trials, KILL_RESUMES: resumes, KILL_SEED: seed, KILL_FIRST: first, KILL_ONLY: only };
const inPage = ["playwright", "test", "test/browser/kill.spec.ts", "--workers=1", "--reporter=list"];
const onCommandLine = ["vitest", "run", "test/build/cli/kills.test.ts", "--reporter=verbose"];
const codes = [];
if (resumes !== "0") codes.push(await runProgram("npx", onCommandLine, chosen));
if (trials !== "0") codes.push(await runProgram("npx", inPage, chosen));
process.exit(Math.max(0, ...codes));
