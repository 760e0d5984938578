// npm run bench: measures this machine and prints tables or JSON; see options.ts for what can be asked.
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { projectRoot } from "../scripts/environment.mjs";
import { createNodeHost } from "../src/cli/nodeHost.ts";
import { trainRun } from "../src/library/trainRun.ts";
import { presets } from "../src/train/catalog.ts";
import { customReward } from "./customReward.ts";
import { measureInTurns } from "./inTurns.ts";
import { measureLibrary } from "./library.ts";
import { countGpuWork } from "./measure/gpuSection.ts";
import { measurePresetStep } from "./measure/presetStep.ts";
import { measurePretrainedStep } from "./measure/pretrained/step.ts";
import { measureWorkload, type RoundOptions } from "./measure/rounds.ts";
import { measureScoring } from "./measure/scoring.ts";
import { sweepSteps } from "./measure/sweep.ts";
import { measureTabularRun } from "./measure/tabularRun.ts";
import { measureTurns } from "./measure/turns.ts";
import { BATCH, LENGTH, workloadOf } from "./measure/workload.ts";
import { type BenchOptions, parseOptions, USAGE } from "./options.ts";
import { ownEnvironment } from "./ownEnvironment.ts";
import type { PeerSpec, StartPeer } from "./peer.ts";
import { browserGpuPeers, choosePeers, gpuPeers } from "./peers/choosePeers.ts";
import { type BrowserPeers, openBrowser } from "./peers/start/startChromium.ts";
import { startNodePeer } from "./peers/start/startNode.ts";
import { startPythonPeer } from "./peers/start/startPython.ts";
import { describeMachine, findGpu, machineSlug } from "./report/machine.ts";
import { writeReadme } from "./report/readme.ts";
import type { BenchResult, PresetResult, PresetRun, SizeResult, SweepPoint } from "./report/result.ts";
import { resultTables } from "./report/tables.ts";
import { measureHereWithTrl } from "./trl/trlHere.ts";

const resultsFolder = join(projectRoot, "bench/results");

const WORKLOAD = `Every peer does the same: a rollout of ${LENGTH} decode steps of ${BATCH} sequences from prompts of one token, sampling and log-probs included, and one update (forward, PPO-clip loss on all ${LENGTH} tokens of ${BATCH} sequences, backward, gradient clipping, AdamW), float32, 512 token ids. An iteration is both. Operations are counted with full attention, though causal kernels skip half of it. Memory is the largest resident set of the peer's own process, in brackets what its runtime and libraries took before the model. "Of peak" is the update's speed per thread over the fastest plain matrix product of the same kernels on one thread in the same rounds. "Time / own" is against our kernels on the most threads, in the browser if that was measured.`;

function starter(browser: BrowserPeers | null, software: boolean): StartPeer {
  return (spec: PeerSpec, workload) => {
    if (spec.runtime === "python") return startPythonPeer(spec, workload);
    if (spec.runtime === "node") return startNodePeer(spec, workload, software);
    if (!browser) throw new Error("internal: no browser was opened");
    return browser.start(spec, workload);
  };
}

async function runPreset(): Promise<PresetRun> {
  const preset = presets.find(({ id }) => id === "boxed-arithmetic");
  if (!preset) throw new Error("internal: there is no preset boxed-arithmetic");
  const { steps, seconds, backend } = await trainRun(preset.config, createNodeHost());
  return { steps: steps.length, seconds, backend: backend.id, threads: backend.threads };
}

/** Runs a section; what goes wrong is said and leaves null. */
async function attempt<T>(what: string, report: (line: string) => void, work: () => Promise<T>): Promise<T | null> {
  try {
    report(what);
    return await work();
  } catch (error) {
    report(`${what} is left out: ${error instanceof Error ? error.message : String(error)}`);
    return null;
  }
}

async function measure(options: BenchOptions, report: (line: string) => void): Promise<BenchResult> {
  const gpu = await findGpu();
  const machine = describeMachine(gpu, null);
  const browser = options.chromium ? await openBrowser() : null;
  const software = options.gpu && gpu === null;
  const start = starter(browser, software);
  const specs = choosePeers({ threads: options.threads, browser: browser !== null, gpu: gpu !== null, only: options.peers });
  const rounds: RoundOptions = { rounds: options.rounds, turnMs: options.turnMs, report };
  try {
    const sizes: SizeResult[] = [];
    for (const size of options.sizes) sizes.push(await measureWorkload(size, workloadOf(size), specs, start, rounds));
    const most = Math.max(...options.threads);
    const wanted = options.peers.length === 0 || options.presetRun;
    const preset: PresetResult | null = wanted
      ? await attempt("the preset's step", report, () => measurePresetStep(most, options.rounds))
      : null;
    const runs = options.quick ? 5 : 20;
    const tabular = wanted ? await attempt("runs of the logits table", report, () => measureTabularRun(runs, report)) : null;
    const turns = wanted ? await attempt("conversations of several turns", report, () => measureTurns(1, options.rounds)) : null;
    const scoring =
      wanted || options.scoring ? await attempt("rewards of a step's conversations", report, () => measureScoring(options.rounds)) : null;
    const trl = wanted ? await attempt("TRL's training steps", report, () => measureHereWithTrl(options.quick ? 2 : 3)) : null;
    const pretrained =
      wanted || options.pretrained
        ? await attempt("a pretrained model's step", report, () => measurePretrainedStep(most, Math.min(3, options.rounds), gpu))
        : null;
    const sweep: SweepPoint[] = [];
    const sweepPeers = specs.filter(
      ({ engine, runtime, threads, build, compiled }) =>
        threads === most && runtime !== "chromium" && ((engine === "wasm" && build === "relaxed") || (engine === "pytorch" && !compiled)),
    );
    for (const { axis, value, workload } of options.sweep ? sweepSteps(options.quick) : []) {
      // A bare loop in PyTorch has no turns.
      const asked = axis === "turns" ? sweepPeers.filter(({ engine }) => engine === "wasm") : sweepPeers;
      const most = workload.conversations ? 2 : 3;
      const result = await measureWorkload(`${axis} ${value}`, workload, asked, start, {
        ...rounds,
        rounds: Math.min(most, options.rounds),
      });
      sweep.push({ axis, value, result });
    }
    return {
      version: 1,
      measuredAt: new Date().toISOString(),
      machine: { ...machine, browser: browser?.version ?? null, browserFlags: browser?.flags ?? [] },
      workload: WORKLOAD,
      quick: options.quick,
      sizes,
      gpu:
        options.gpu || gpu !== null
          ? await countGpuWork(options.sizes, browser ? [...gpuPeers, ...browserGpuPeers] : gpuPeers, start, software, report)
          : [],
      gpuNote: software ? "software adapter, 2 sequences of 16: counts hold for any batch, JavaScript times are upper bounds" : (gpu ?? ""),
      preset,
      presetRun: options.presetRun ? await attempt("the preset's default run", report, runPreset) : null,
      tabular,
      turns,
      scoring,
      pretrained,
      trl,
      sweep,
    };
  } finally {
    await browser?.close();
  }
}

async function main(): Promise<void> {
  const options = parseOptions(process.argv.slice(2));
  if (!options) return console.log(USAGE);
  if (options.readme) return console.log(`README.md now shows ${await writeReadme(join(projectRoot, "README.md"), resultsFolder)}`);
  if (options.library) return console.log(await measureLibrary());
  if (options.custom) {
    for (const both of [customReward, ownEnvironment]) console.log(await measureInTurns(both, options.rounds));
    return;
  }
  // Progress goes to the error stream, so that --json can be piped.
  const result = await measure(options, (line) => console.error(line));
  console.log(options.json ? JSON.stringify(result) : resultTables(result));
  if (!options.out) return;
  await mkdir(resultsFolder, { recursive: true });
  const file = join(resultsFolder, `${machineSlug(result.machine)}.json`);
  await writeFile(file, `${JSON.stringify(result, null, 1)}\n`);
  await writeFile(file.replace(/json$/, "md"), `# What the benchmark measured\n\n${resultTables(result)}\n`);
  console.error(`wrote ${file} and its tables`);
}

try {
  await main();
  process.exit(0);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
}
