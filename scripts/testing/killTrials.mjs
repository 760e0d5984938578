// npm run test:kill [-- --trials 60 --resumes 100 --work 20 --updates 10 --busy 20 --seed 1 --first 0 --only NAME --model NAME]: ends runs at random moments, in every
// way a run can end, on the command line and in the page, and looks whether they go on as if nothing had happened; `work` is
// what people do with kept runs, in turn (forks, files that are brought, deletions, sweeps), `updates` changes over to another build of
// the page, `busy` runs on cores that are held at 100 %. A number of 0 leaves that part out, `first` is the trial to begin with, `only` one run of test/support/killedRuns.ts; `model` ends
// runs of a pretrained model of models/ instead, on the command line and on busy cores. Needs a build (npm run build).
import { parseArgs } from "node:util";
import { runProgram } from "../environment.mjs";

const number = /** @param {string} value */ (value) => ({ type: /** @type {const} */ ("string"), default: value });
const { values } = parseArgs({
  options: {
    trials: number("60"),
    resumes: number("100"),
    work: number("20"),
    updates: number("10"),
    busy: number("20"),
    seed: number("1"),
    first: number("0"),
    only: { type: "string", default: "" },
    model: { type: "string", default: "" },
  },
});
const { only, model, ...numbers } = values;
for (const [name, value] of Object.entries(numbers))
  if (!/^(0|[1-9]\d{0,5})$/.test(value)) throw new Error(`--${name} must be a whole number >= 0, got ${value}`);
const { trials, resumes, work, updates, busy, seed, first } = numbers;

const parts = { KILL_TRIALS: trials, KILL_RESUMES: resumes, KILL_WORK: work, KILL_UPDATES: updates, KILL_BUSY: busy };
const chosen = { ...parts, KILL_SEED: seed, KILL_FIRST: first, KILL_ONLY: only, KILL_MODEL: model };
const inPage = /** @param {string} file */ (file) => [
  "playwright",
  "test",
  `test/browser/${file}`,
  "--project=desktop",
  "--workers=1",
  "--reporter=list",
];
const onCommandLine = /** @param {string} file */ (file) => ["vitest", "run", `test/build/cli/${file}`, "--reporter=verbose"];
/** How often each is tried, and what tries it. */
const PARTS = /** @type {const} */ ([
  [resumes, onCommandLine("kills.test.ts")],
  [busy, inPage("killBusy.spec.ts")],
  [trials, inPage("kill.spec.ts")],
  [work, inPage("killWork.spec.ts")],
  [updates, inPage("killUpdate.spec.ts")],
]);
const codes = [];
for (const [times, program] of model ? PARTS.slice(0, 2) : PARTS)
  if (times !== "0") codes.push(await runProgram("npx", [...program], chosen));
process.exit(Math.max(0, ...codes));
