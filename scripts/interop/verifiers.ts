// Written-down conversations in verifiers: read by its own reader, with tokens, masks and rewards as the lab has them.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Check } from "./check.ts";

const CONFIG = {
  task: "calculator",
  backend: "wasm",
  threads: 1,
  steps: 1,
  promptsPerStep: 4,
  groupSize: 4,
  evalEvery: 0,
  evalProblems: 4,
  evalSamples: 1,
};

export const verifiers: Check = {
  name: "verifiers",
  title: "Conversations in verifiers",
  packages: ["verifiers"],
  async run(interop) {
    writeFileSync(join(interop.folder, "calls.json"), JSON.stringify(CONFIG));
    await interop.lab("train", "calls.json", "--out", "calls");
    const { out } = await interop.lab("export", "calls", "--to", "verifiers");
    return interop.python("verifiers_traces.py", "calls", String(out));
  },
};
