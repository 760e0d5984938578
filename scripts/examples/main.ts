// Makes the recorded examples of public/examples: trains each run with the command line that `npm run build` has made, exports it as one file
// without weights, and writes the card of the one that the first screen plays. A run that is in the folder already is exported again and not trained again. The pretrained one needs
// its model in models/ (rollout-lab fetch HuggingFaceTB/SmolLM2-135M-Instruct).
// Usage: node scripts/run.mjs scripts/examples/main.ts [--runs DIR] [--only NAME]
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { errorText } from "../../src/protocol/problems.ts";
import { saveInFile } from "../../src/train/save/importedSave.ts";
import { readSave } from "../../src/train/save/readSave.ts";
import { EXAMPLES } from "../../src/ui/runs/replay/examples.ts";
import { cardOf } from "./cardOf.ts";

const FOLDER = "public/examples";
const MOST_BYTES = 390_000;
const LAB = "dist-cli/bin/rollout-lab.js";

/** What each trains: a file of configs/, or a preset by itself. */
const RUNS: Readonly<Record<string, { readonly config: string; readonly settings: readonly string[] }>> = {
  arithmetic: { config: "preset: boxed-arithmetic", settings: [] },
  calculator: { config: "configs/calculator.yaml", settings: [] },
  search: { config: "configs/search.yaml", settings: [] },
  "wrong-reward": { config: "preset: wrong-reward", settings: ["steps=120", "evalEvery=20"] },
  capitals: { config: "configs/smollm2-capitals.yaml", settings: [] },
};

function train(name: string, runs: string): string {
  const out = join(runs, name);
  const { config, settings } = RUNS[name]!;
  if (existsSync(join(out, "summary.json"))) return out;
  mkdirSync(runs, { recursive: true });
  const file = config.startsWith("preset") ? join(runs, `${name}.yaml`) : config;
  if (file !== config) writeFileSync(file, `${config}\n`);
  const set = ["keptMegabytes=20", ...settings].flatMap((setting) => ["--set", setting]);
  execFileSync(process.execPath, [LAB, "train", file, ...set, "--out", out], { stdio: "inherit" });
  return out;
}

const { values } = parseArgs({ options: { runs: { type: "string", default: ".cache/examples" }, only: { type: "string" } } });
mkdirSync(FOLDER, { recursive: true });
for (const name of Object.keys(RUNS)) {
  if (values.only !== undefined && values.only !== name) continue;
  try {
    execFileSync(process.execPath, [
      LAB,
      "export",
      train(name, values.runs),
      "--to",
      "rollout",
      "--out",
      FOLDER,
      "--most",
      String(MOST_BYTES),
    ]);
    if (name !== EXAMPLES[0]?.id) continue;
    const { runId, files } = saveInFile(new Uint8Array(readFileSync(join(FOLDER, `${name}.rollout`))));
    const card = await cardOf(readSave(runId, files));
    writeFileSync(join(FOLDER, `${name}.json`), `${JSON.stringify(card)}\n`);
    console.log(`${name}: step ${card.steps}, ${card.moments.length} moments`);
  } catch (error) {
    console.error(`${name}: ${errorText(error)}`);
    process.exitCode = 1;
  }
}
