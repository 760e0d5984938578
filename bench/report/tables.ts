// A result as Markdown: the same tables on the terminal and in the README.

import type { Measured } from "../../src/rl/accuracy.ts";
import { figure, percent, table } from "./markdown.ts";
import { pretrainedTable } from "./pretrainedTable.ts";
import { type BenchResult, type PeerResult, type SizeResult, TABULAR_PHASES } from "./result.ts";
import type { Timing } from "./statistics.ts";
import { sweepTables } from "./sweepTables.ts";

/** The project's own peer of a runtime that others are compared with: relaxed build, most threads. */
export function ownPeer(peers: readonly PeerResult[], runtime: "node" | "chromium"): PeerResult | null {
  const own = peers.filter(({ spec }) => spec.engine === "wasm" && spec.runtime === runtime && spec.build === "relaxed");
  return own.toSorted((a, b) => b.spec.threads - a.spec.threads)[0] ?? null;
}

/** Iteration time of `peer` over that of `own`: above 1, own is faster. */
export function speedUp(own: PeerResult, peer: PeerResult): number {
  return peer.iteration.medianMs / own.iteration.medianMs;
}

function memoryText({ memory }: PeerResult): string {
  const { peakMiB, baseMiB, engineMiB } = memory;
  if (peakMiB !== null) return `${figure(peakMiB)} (${figure(baseMiB ?? 0)})`;
  return engineMiB === null ? "" : `engine ${figure(engineMiB)}`;
}

function sizeTable(result: SizeResult, heading: string): readonly string[] {
  const own = ownPeer(result.peers, "chromium") ?? ownPeer(result.peers, "node");
  const { workload } = result;
  const rows = result.peers.map((peer) => [
    peer.version ? `${peer.title.replace(/ \(/, ` ${peer.version} (`)}` : peer.title,
    figure(peer.train.medianMs),
    figure(peer.decode.medianMs / workload.length),
    figure(peer.iteration.medianMs),
    own ? `${figure(speedUp(own, peer))}x` : "",
    figure(peer.tokensPerSecond),
    figure(peer.trainGflops),
    percent(peer.peak?.trainShare),
    memoryText(peer),
  ]);
  const { hiddenSize, layers, heads, intermediateSize, batch, length } = workload;
  const shape = `width ${hiddenSize}, ${layers} layers, ${heads} heads, feed-forward ${intermediateSize}, ${batch} sequences of ${length}`;
  const products = result.peers.flatMap(({ title, peak }) => (peak ? [`${title} ${figure(peak.gflops)}`] : []));
  return [
    `**${heading}** (${shape}; update ${figure(result.trainFlops / 1e9)} GFLOP, rollout ${figure(result.decodeFlops / 1e9)} GFLOP)`,
    "",
    ...table(
      ["peer", "update ms", "decode ms/step", "iteration ms", "time / own", "tokens/s", "update GFLOP/s", "of peak", "memory MiB"],
      rows,
    ),
    "",
    ...(products.length > 0 ? [`Fastest plain matrix product, GFLOP/s of one thread: ${products.join("; ")}.`, ""] : []),
    ...result.missing.flatMap(({ peer, reason }) => [`Not measured: ${peer} (${reason}).`, ""]),
  ];
}

function recordingTable(gpu: BenchResult["gpu"]): readonly string[] {
  const rows = gpu.flatMap(({ size, title, recording }) => {
    if (!recording) return [];
    const cells = [recording.train, recording.decode].flatMap(({ dispatches, usPerDispatch, bareUsPerDispatch }) => [
      String(dispatches),
      figure(usPerDispatch),
      figure(bareUsPerDispatch),
    ]);
    return [[size, title, ...cells]];
  });
  if (rows.length === 0) return [];
  const head = [
    "size",
    "peer",
    "update dispatches",
    "JS µs each",
    "bare calls",
    "decode dispatches (16 steps)",
    "JS µs each",
    "bare calls",
  ];
  return [
    "**JavaScript per dispatch** (recording alone, nothing counted, medians; bare calls: one pipeline, bind group and dispatch in a loop)",
    "",
    ...table(head, rows),
    "",
  ];
}

function gpuTable({ gpu, gpuNote }: BenchResult): readonly string[] {
  if (gpu.length === 0) return [];
  const rows = gpu.map((row) => [
    row.size,
    row.title,
    String(row.train.dispatches),
    `${row.train.passes} / ${row.train.submits}`,
    figure(row.trainUsPerDispatch),
    figure(row.decode.dispatches / row.steps),
    `${row.decode.passes} / ${row.decode.submits}`,
    figure(row.decodeUsPerDispatch),
  ]);
  const head = [
    "size",
    "peer",
    "update dispatches",
    "passes / submits",
    "JS µs each",
    "decode dispatches/token",
    "passes / submits",
    "JS µs each",
  ];
  return [`**WebGPU work** (${gpuNote})`, "", ...table(head, rows), "", ...recordingTable(gpu)];
}

function presetTable({ preset, presetRun }: BenchResult): readonly string[] {
  const lines: string[] = [];
  if (preset) {
    const { sample, update, rows } = preset;
    const row = (name: string, sampled: number, updated: number, count: number) => [
      name,
      figure(sampled),
      figure(updated),
      figure(sampled + updated),
      figure(count),
    ];
    lines.push(
      `**A step of ${preset.preset}** (${preset.prompts} prompts x ${preset.copies} completions, ${preset.threads} threads, Node; ${preset.start})`,
      "",
      ...table(
        ["", "sample ms", "update ms", "both ms", "rows of the update"],
        [
          row("packed, prompts shared", sample.shared.medianMs, update.packed.medianMs, rows.packed),
          row("padded, prompts repeated", sample.unshared.medianMs, update.padded.medianMs, rows.padded),
        ],
      ),
      "",
      `Packing and sharing make the step ${figure(preset.speedUp)}x faster.`,
      "",
    );
  }
  if (presetRun) {
    const { steps, seconds, backend, threads } = presetRun;
    lines.push(`Its default run of ${steps} steps, evaluations included, takes ${figure(seconds)} s (${backend}, ${threads} threads).`, "");
  }
  return lines;
}

function tabularTable({ tabular }: BenchResult): readonly string[] {
  if (!tabular) return [];
  const { preset, steps, train, trainAndEvaluate, before, phases, records, numpy } = tabular;
  const row = (name: string, { medianMs, spreadMs, samples }: Timing) => [
    name,
    figure(medianMs),
    spreadMs.map(figure).join(" - "),
    String(samples),
  ];
  return [
    `**${steps} steps of ${preset}** (Node, one thread, after a warm-up)`,
    "",
    ...table(
      ["", "median ms", "quartiles", "runs"],
      [
        row("training steps, all metrics", train),
        ...(phases ? TABULAR_PHASES.map(([phase, name]) => row(name, phases[phase])) : []),
        ...(records ? [row("- metrics, records and events", records)] : []),
        row("with the evaluations on the way", trainAndEvaluate),
        row("before the first step: baselines, first evaluation", before),
        ...(numpy ? [row(`vectorised numpy ${numpy.version} loop, four numbers a step`, numpy.train)] : []),
      ],
    ),
    "",
  ];
}

function turnsTable({ turns }: BenchResult): readonly string[] {
  if (!turns) return [];
  const { conversations, sampled, inserted, oneTurn, severalTurns, share } = turns;
  const rate = (tokens: number) => String(Math.round(tokens));
  return [
    `**${conversations} conversations of ${sampled} sampled tokens** (own kernels, ${turns.threads} thread${turns.threads > 1 ? "s" : ""}, processor time)`,
    "",
    ...table(
      ["", "sampled tokens per second"],
      [
        ["in one turn", rate(oneTurn)],
        [`in ${turns.turns}, with ${inserted} tokens inserted between two`, rate(severalTurns)],
      ],
    ),
    "",
    `Several turns sample ${Math.round(100 * share)} % as fast.`,
    "",
  ];
}

function scoringTable({ scoring }: BenchResult): readonly string[] {
  if (!scoring) return [];
  return [
    "**Rewards of a step's conversations** (verdicts asked for in batches beside a bare loop over the same rules, in turns, processor time)",
    "",
    ...table(
      ["preset", "conversations", "loop, µs each", "batches, µs each", "more, of the time to sample them"],
      scoring.presets.map(({ preset, conversations, plainUs, batchedUs, shareOfStep }) => [
        ...[preset, String(conversations), figure(plainUs), figure(batchedUs)],
        `${(100 * shareOfStep).toFixed(2)} %`,
      ]),
    ),
    "",
  ];
}

function trlTable({ trl }: BenchResult): readonly string[] {
  if (!trl) return [];
  const { version, seeds, steps, completions, threads, windows, ratios, ...seconds } = trl;
  const cell = ({ value, interval }: Measured) => `${value.toFixed(3)} (${interval.map((end) => end.toFixed(3)).join(" to ")})`;
  const step = (name: string, taken: number) => [name, taken.toFixed(3), `${figure(taken / seconds.ownSeconds)}x`];
  return [
    `**A training step of TRL's GRPOTrainer beside ours** (boxed arithmetic from the same weights, ${completions} completions a step, ${steps} steps, seeds ${seeds.join(", ")} in turns, ${threads} threads each)`,
    "",
    ...table(
      ["", "seconds, median", "time / own"],
      [
        step("Rollout Lab, own WASM kernels (Node)", seconds.ownSeconds),
        step("the same, scoring the tokens again after the update for its readings", seconds.ownMeasuredSeconds),
        step(`TRL ${version} on PyTorch`, seconds.trlSeconds),
      ],
    ),
    "",
    `Single seeds: ${ratios.map((ratio) => `${figure(ratio)}x`).join(", ")}. Mean reward over the seeds, with 95 % intervals:`,
    "",
    ...table(
      ["steps", "Rollout Lab", "TRL", "difference"],
      windows.map(({ first, last, own, trl: theirs, difference }) => [`${first} to ${last}`, cell(own), cell(theirs), cell(difference)]),
    ),
    "",
  ];
}

/** What was measured on, and how. */
export function machineLine(result: BenchResult): string {
  const { machine } = result;
  const browser = machine.browser ? `, ${machine.browser}` : "";
  const gpu = machine.gpu ? `, ${machine.gpu}` : "";
  const rounds = result.sizes[0] ? ` (${result.sizes[0].rounds})` : "";
  const busy = machine.loadBefore > 0.5 ? ` The machine was busy (load ${figure(machine.loadBefore)} before the run).` : "";
  return `Measured on ${machine.cpu}, ${machine.cores} cores, ${machine.memoryGiB} GiB${gpu}, Node ${machine.node}${browser}; medians over rounds in which the peers take turns${rounds}.${busy}`;
}

/** The whole result in Markdown. */
export function resultTables(result: BenchResult): string {
  return [
    machineLine(result),
    "",
    result.workload,
    "",
    ...result.sizes.flatMap((size) => sizeTable(size, size.size)),
    ...presetTable(result),
    ...tabularTable(result),
    ...turnsTable(result),
    ...scoringTable(result),
    ...pretrainedTable(result.pretrained),
    ...trlTable(result),
    ...gpuTable(result),
    ...sweepTables(result),
  ]
    .join("\n")
    .trimEnd();
}
